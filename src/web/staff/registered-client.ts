import type { Static } from 'typebox';
import type { clientShape } from '../../audit/read-client.ts';

/** The response of `readRegisteredClient`. */
export type RegisteredClient = Static<typeof clientShape> & {
  readonly policy: string | null;
  readonly disabledAt: string | null;
};
