import type { Endpoint } from '../api/endpoint-register.ts';

/** What the operations about the product itself are given. */
export type OversightPorts = { readonly endpoints: readonly Endpoint[] };
