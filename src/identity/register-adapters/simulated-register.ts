import { type Register, RegisterUnavailable } from '../register/register.ts';

/** The citizen of service teams' tests about whom the register cannot be asked. */
const unavailableId = 'sim-register-down';

/** The register of a sandbox: as any other, but for that citizen. */
export function withUnavailableCitizen(register: Register): Register {
  return {
    ...register,
    find: async (citizenId) => {
      if (citizenId === unavailableId) throw new RegisterUnavailable('played for a test');
      return await register.find(citizenId);
    },
  };
}
