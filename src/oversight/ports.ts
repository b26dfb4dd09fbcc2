import type { Endpoint } from '../api/endpoint-register.ts';
import type { LogView } from '../ledger/log-view.ts';

/** What the operations about the product itself are given. */
export type OversightPorts = {
  readonly endpoints: readonly Endpoint[];
  readonly log: LogView;
  /** The pseudonym of the chain that the register of endpoints is in the ledger. */
  readonly endpointChain: Uint8Array;
};
