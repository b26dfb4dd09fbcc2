import type { SliceDeps } from '../api/slice.ts';
import { type Register, RegisterUnavailable } from './register/register.ts';
import { createEmbeddedRegister } from './register-adapters/embedded-register.ts';
import { createHttpRegister } from './register-adapters/http-register.ts';

type RegisterDeps = Pick<SliceDeps, 'settings' | 'clock' | 'timer' | 'log' | 'db'>;

/** In a sandbox the register is unavailable for this citizen, so that service teams can test it. */
const unavailableId = 'sim-register-down';

/** Opens the register in the own tables, or the one at `REGISTER_URL`. */
export function openRegister(deps: RegisterDeps): Register {
  const register = configuredRegister(deps);
  if (deps.settings.simulators !== true) return register;
  return {
    ...register,
    find: async (citizenId) => {
      if (citizenId === unavailableId) throw new RegisterUnavailable('simulated for a test');
      return await register.find(citizenId);
    },
  };
}

function configuredRegister({ settings, clock, timer, log, db }: RegisterDeps): Register {
  if (settings.registerUrl === undefined) return createEmbeddedRegister(db.read);
  const url = new URL(settings.registerUrl.reveal());
  const onFault = (fault: Error) => log.fault('register', fault);
  return createHttpRegister({ url, fetch, timer, clock, onFault });
}
