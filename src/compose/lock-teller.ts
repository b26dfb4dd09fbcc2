import type { House } from '../compose.ts';
import type { IdentityPorts } from '../identity/ports.ts';
import { cascadeOf } from './channels.ts';
import { lockTeller } from './identity.ts';
import { contactsOf } from './notifications.ts';

/** Tells citizens that staff has lifted their own lock, for the command that does so. */
export function lockTellerOf(house: House): NonNullable<IdentityPorts['tellOfLock']> {
  return lockTeller(house, { contactOf: contactsOf(house), cascade: cascadeOf(house.settings, false) });
}
