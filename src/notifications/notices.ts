import type { SliceDeps } from '../api/slice.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { Effect } from '../ledger/commit.ts';
import { withPreferences } from './contact/contact-preferences-store.ts';
import { withSimulatedContacts } from './delivery/simulator.ts';
import type { ContactOf } from './notification/contact.ts';
import type { NotificationPorts } from './ports.ts';
import { notifyLimitReached } from './system-messages/notify-limit-reached.ts';
import { notifyLockChange } from './system-messages/notify-lock-change.ts';

type NoticeCall = { readonly now: number; readonly createId: IdGenerator };

type Notice = Pick<Effect, 'events' | 'statements'>;
type LockChange = { readonly citizenId: string; readonly locked: boolean; readonly reason?: string | undefined };

/** The messages about a citizen's record that other slices put into their effects. */
export type Notices = {
  /** The notice that the verification limit of the citizen was reached. `notBefore` in epoch milliseconds. */
  limitReached(citizenId: string, call: NoticeCall & { readonly notBefore?: number | undefined }): Promise<Notice>;
  /** The notice that the citizen lock was set or lifted; with the reason if staff lifted it. */
  lockChanged(change: LockChange, call: NoticeCall): Promise<Notice>;
};

/** Looks up how citizens are reached: the register's contacts with the citizens' preferences, and in a sandbox those of the simulator. */
export function createContactLookup(
  { settings, db, citizenKeys }: Pick<SliceDeps, 'settings' | 'db' | 'citizenKeys'>,
  registeredContactOf: ContactOf,
): ContactOf {
  const contactOf = withPreferences(registeredContactOf, { read: db.read, citizenKeys });
  return settings.simulators === true ? withSimulatedContacts(contactOf) : contactOf;
}

/** Makes the notices; `create-notifications.ts` and the command that lifts a citizen's lock call it. */
export function createNotices(
  ports: Pick<NotificationPorts, 'citizenKeys' | 'random' | 'cascade' | 'contactOf'>,
): Notices {
  return {
    limitReached: async (citizenId, { now, createId, notBefore }) => {
      const contact = await ports.contactOf(citizenId);
      const message = await notifyLimitReached({ now, createId, ports }, { citizenId, contact, notBefore });
      return { events: [message.event], statements: message.statements };
    },
    lockChanged: async (change, { now, createId }) => {
      const contact = await ports.contactOf(change.citizenId);
      const message = await notifyLockChange({ now, createId, ports }, { ...change, contact });
      return { events: [message.event], statements: message.statements };
    },
  };
}
