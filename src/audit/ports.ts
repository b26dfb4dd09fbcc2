import type { Endpoint } from '../api/endpoint-register.ts';
import type { EventId } from '../kernel/id.ts';
import type { AccessLogDeps } from './access-log.ts';
import type { EndpointRegisterProof } from './endpoint-register-proof.ts';

/** What the operations about the product itself are given. */
export type AuditPorts = AccessLogDeps & {
  readonly endpoints: readonly Endpoint[];
  /** Whether that event, whoever caused it, erased something of this client: then it is its proof. */
  readonly isErasureOf: (event: EventId, clientId: string) => Promise<boolean>;
  readonly proveEndpointRegister: () => Promise<EndpointRegisterProof | undefined>;
};
