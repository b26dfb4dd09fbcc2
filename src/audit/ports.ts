import type { Endpoint } from '../api/endpoint-register.ts';
import type { QuotaLimiter } from '../auth/quota.ts';
import type { EventId } from '../kernel/id.ts';
import type { AccessLogDeps } from './access-log.ts';
import type { DescribeDeps } from './describe-usage.ts';
import type { EndpointRegisterProof } from './endpoint-register-proof.ts';

/** The stores and functions of the operations on the register and the ledger. */
export type AuditPorts = AccessLogDeps &
  DescribeDeps & {
    readonly endpoints: readonly Endpoint[];
    /** The days of filters are days in this IANA time zone, as on the pages for citizens. */
    readonly timeZone: string;
    /** Whether the event erased a document of this client: then the client may read its receipt. */
    readonly isErasureOf: (event: EventId, clientId: string) => Promise<boolean>;
    readonly proveEndpointRegister: () => Promise<EndpointRegisterProof | undefined>;
  };

/** Dependencies of the operation on the own client, besides the database. */
export type ClientPorts = {
  /** Stores the counts of use of this process. */
  readonly storeUse: () => Promise<void>;
  readonly remainingQuota: QuotaLimiter['remaining'];
  readonly webhookCountOf: (clientId: string) => Promise<number>;
};
