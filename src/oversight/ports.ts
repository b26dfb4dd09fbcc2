import type { Endpoint } from '../api/endpoint-register.ts';
import type { AccessLogParts } from './access-log.ts';
import type { RegisterGrowth } from './register-growth.ts';

/** What the operations about the product itself are given. */
export type OversightPorts = AccessLogParts & {
  readonly endpoints: readonly Endpoint[];
  readonly registerGrowth: () => Promise<RegisterGrowth | undefined>;
};
