import type { SliceDeps } from '../api/slice.ts';
import type { Register } from './register/register.ts';
import { createEmbeddedRegister } from './register-adapters/embedded-register.ts';
import { createHttpRegister } from './register-adapters/http-register.ts';
import { withUnavailableCitizen } from './register-adapters/simulated-register.ts';

type RegisterDeps = Pick<SliceDeps, 'settings' | 'clock' | 'timer' | 'log' | 'db'>;

/** The register in our own tables, or the one that the operator names; in a sandbox with the citizen who cannot be looked up. */
export function openRegister(deps: RegisterDeps): Register {
  const register = configuredRegister(deps);
  return deps.settings.simulators === true ? withUnavailableCitizen(register) : register;
}

function configuredRegister({ settings, clock, timer, log, db }: RegisterDeps): Register {
  if (settings.registerUrl === undefined) return createEmbeddedRegister(db.read);
  const url = new URL(settings.registerUrl.reveal());
  const onFault = (fault: Error) => log.fault('register', fault);
  return createHttpRegister({ url, fetch, timer, clock, onFault });
}
