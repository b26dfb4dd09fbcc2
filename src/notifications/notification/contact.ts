import type { ChannelName } from './notification.ts';
import type { QuietHours } from './quiet-hours.ts';

/** How a citizen can be reached, as the register has it. */
export type CitizenContact = {
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly name?: string | undefined;
  readonly language?: string | undefined;
  /** The register says that the citizen has died. */
  readonly deceased?: boolean | undefined;
  /** The lines of the postal address as written on an envelope, without the name; the country is last, for a letter that goes abroad. */
  readonly postalLines?: readonly string[] | undefined;
  /** Whether the name follows these lines on an envelope, as in Japan. */
  readonly nameAfterAddress?: boolean | undefined;
  /** The citizen wishes letters in large print. */
  readonly largePrint?: boolean | undefined;
  /** The channels that the citizen does not wish; the inbox and letters cannot be declined. */
  readonly declined?: readonly ChannelName[] | undefined;
  /** The channels in the order that the citizen wishes. */
  readonly order?: readonly ChannelName[] | undefined;
  /** The hours that the citizen wishes for some channels. */
  readonly hours?: QuietHours | undefined;
  /** The channels whose address somebody has verified to be the citizen's. */
  readonly verified?: readonly ChannelName[] | undefined;
};

/** The contact of a citizen now; undefined for an id that the register does not know. */
export type ContactOf = (citizenId: string) => Promise<CitizenContact | undefined>;
