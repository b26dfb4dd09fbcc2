import { type Register, RegisterUnavailable } from '../register/register.ts';

/** For tests of service teams: the register is unavailable for this citizen. */
const unavailableId = 'sim-register-down';

/** Adds that citizen to the register of a sandbox. */
export function withUnavailableCitizen(register: Register): Register {
  return {
    ...register,
    find: async (citizenId) => {
      if (citizenId === unavailableId) throw new RegisterUnavailable('simulated for a test');
      return await register.find(citizenId);
    },
  };
}
