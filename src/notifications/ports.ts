import type { Random } from '../kernel/clock.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';

/** How a citizen can be reached, as the register has it. */
export type Contact = {
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly name?: string | undefined;
  readonly language?: string | undefined;
};

/** The contact of a citizen now; undefined for an id that the register does not know. */
export type ContactOf = (citizenId: string) => Promise<Contact | undefined>;

/** What the operations on notifications need from outside their folder. */
export type NotificationPorts = {
  readonly contactOf: ContactOf;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf'>;
  readonly random: Random;
};
