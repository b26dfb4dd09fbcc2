import type { IdentityPorts } from '../identity/verification/ports.ts';
import type { AppContext } from './app-context.ts';
import { createLockNotifier } from './identity.ts';
import { cascadeOf } from './notification-channels.ts';
import { createContactLookup } from './notifications.ts';

/** Tells citizens that staff has lifted their own lock, for the command that does so. */
export function lockNotifierOf(app: AppContext): NonNullable<IdentityPorts['lockChangeNotice']> {
  return createLockNotifier(app, { contactOf: createContactLookup(app), cascade: cascadeOf(app.settings, false) });
}
