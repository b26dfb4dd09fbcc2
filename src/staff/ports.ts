import type { BoundOperation, ListedOperation } from '../api/operation.ts';
import type { AuditPorts, ClientPorts } from '../audit/ports.ts';
import type { ClientCache } from '../auth/client-cache.ts';
import type { Register } from '../identity/register/register.ts';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Commit } from '../ledger/commit.ts';
import type { LedgerHealth } from '../ledger/ledger-health.ts';
import type { LogView } from '../ledger/log-view.ts';
import type { ContactOf } from '../notifications/notification/contact.ts';
import type { ProposableDeps } from './proposable/proposable-operation.ts';
import type { StaffKeys } from './staff-entry-store.ts';

/** The dependencies of the operations for staff. */
export type StaffPorts = StaffKeys &
  ClientPorts & {
    readonly clock: Clock;
    readonly commit: Commit;
    readonly claim: WriteWithoutEvent;
    readonly register: Pick<Register, 'find' | 'search' | 'exists'>;
    readonly contactOf: ContactOf;
    /** The name of the organisation of a client, as citizens read it. */
    readonly organisationOf: (clientId: string) => string;
    /** A purpose of a client in words of a language, if the client registered them. */
    readonly purposeTextOf: AuditPorts['purposeTextOf'];
    readonly citizenKeys: AuditPorts['citizenKeys'];
    readonly clients: Pick<ClientCache, 'get' | 'isFresh' | 'refresh' | 'invalidate'>;
    /** An operation of clients, for the service of a person (act-for-service.ts). */
    readonly serviceOperation: (operation: ListedOperation) => BoundOperation;
    readonly log: LogView;
    readonly watch: Pick<LedgerHealth, 'state'>;
    /** The most messages of a batch that one person may start alone. */
    readonly batchLimit: number;
    readonly previewBatch: ProposableDeps['previewBatch'];
    readonly lookUpsPerHour: number;
    /** How long another person may approve a proposal, in milliseconds. */
    readonly proposalMs: number;
    /** Whether another person must approve a proposal. */
    readonly fourEyes: boolean;
    /** The functions with which an approved proposal takes effect. */
    readonly proposable: ProposableDeps;
  };
