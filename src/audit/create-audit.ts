import type { Endpoint } from '../api/endpoint-register.ts';
import type { Gauge } from '../api/metrics.ts';
import { bindOperation, type Operation } from '../api/operation.ts';
import type { PageRoute } from '../api/page-route.ts';
import type { Slice, SliceDeps } from '../api/slice.ts';
import type { LedgerHealth, LedgerState } from '../ledger/ledger-health.ts';
import { createEndpointRegisterProver } from './endpoint-register-proof.ts';
import { ledgerPages } from './ledger-pages.ts';
import { listEndpoints } from './list-endpoints.ts';
import type { LedgerView } from './open-ledger.ts';
import type { AuditPorts, ClientPorts } from './ports.ts';
import { readClient } from './read-client.ts';
import { readOwnAccessLog } from './read-own-access-log.ts';
import { readReceipt } from './read-receipt.ts';
import { readReceiptProof } from './read-receipt-proof.ts';

type AuditDeps = SliceDeps &
  Pick<
    AuditPorts,
    'isErasureOf' | 'explanationOf' | 'organisationOf' | 'ownDocumentOf' | 'ownMessageOf' | 'purposeTextOf'
  > &
  ClientPorts & {
    readonly ledger: LedgerView;
    readonly endpoints: readonly Endpoint[];
  };

type AuditSlice = Slice & { readonly pages: readonly PageRoute[] };

/** Creates the audit slice: receipts, the citizen's access log, the register of endpoints and clients, the public log. */
export function createAudit(deps: AuditDeps): AuditSlice {
  const { settings, ledger, endpoints, citizenKeys, isErasureOf, explanationOf, organisationOf } = deps;
  const { ownDocumentOf, ownMessageOf, purposeTextOf, storeUse, remainingQuota, webhookCountOf } = deps;
  const ports: AuditPorts & ClientPorts = {
    log: ledger.view,
    citizenKeys,
    endpoints,
    timeZone: settings.timeZone,
    isErasureOf,
    explanationOf,
    organisationOf,
    ownDocumentOf,
    ownMessageOf,
    purposeTextOf,
    storeUse,
    remainingQuota,
    webhookCountOf,
    proveEndpointRegister: createEndpointRegisterProver(ledger.view, ledger.systemKeys),
  };
  const operations: readonly Operation<AuditPorts & ClientPorts>[] = [
    readReceipt,
    readReceiptProof,
    listEndpoints,
    readOwnAccessLog,
    readClient,
  ];
  return {
    operations: operations.map((operation) => bindOperation(operation, ports)),
    jobs: [],
    registerMetrics: (metrics) => metrics.gauges(ledgerGauges(ledger.watch)),
    checks: [],
    pages: ledgerPages(ledger.view),
  };
}

function ledgerGauges({ state }: LedgerHealth): Gauge[] {
  const gauge = (name: string, help: string, of: keyof LedgerState) => ({
    name: `citizen_services_ledger_${name}`,
    help,
    read: () => {
      const value = state()[of];
      return typeof value === 'number' ? value : undefined;
    },
  });
  return [
    gauge('waiting_events', 'Events that are recorded and not numbered yet, counted up to 10,000.', 'waiting'),
    gauge('oldest_waiting_seconds', 'Age of the oldest of these events.', 'oldestSeconds'),
    gauge('signed_entries', 'Entries of the newest signed checkpoint.', 'signed'),
    gauge('cosigned_entries', 'Entries of the newest checkpoint that a quorum of witnesses cosigned.', 'cosigned'),
    gauge('verified_entries', 'Entries that the monitor of this process has read and verified.', 'verified'),
  ];
}
