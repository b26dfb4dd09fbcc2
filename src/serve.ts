import { createServer } from 'node:net';
import { createAuthorizationServer } from './access/authorization-server.ts';
import { createTokenChecker } from './access/check-token.ts';
import { apiCatalog, protectedResourceMetadata, securityTxt } from './access/metadata.ts';
import { createTrustedIssuer } from './access/trusted-issuer.ts';
import type { Gate } from './api/dispatch.ts';
import { endpointsOf } from './api/endpoint-register.ts';
import type { Log } from './api/log.ts';
import { createMetrics, type Metrics } from './api/metrics.ts';
import { scopes } from './api/operation.ts';
import { createApiServer, type Mount, type Page } from './api/server.ts';
import { apiDocuments, catalogPage, jsonPage, securityTxtPage } from './api/well-known.ts';
import { type Access, type House, openAccess } from './compose.ts';
import { type Edge, openEdge } from './compose-access.ts';
import { confirmMounts, providerCallbacks } from './compose-channels.ts';
import { startKeeping } from './compose-documents.ts';
import { standingPolicy } from './compose-identity.ts';
import { ledgerGauges, openLedger, startSequencer } from './compose-ledger.ts';
import { contactsOf, senderNamesOf, startCalling } from './compose-notifications.ts';
import { openPorts } from './compose-ports.ts';
import type { Settings } from './config/settings.ts';
import { apiVersion } from './config/version.ts';
import { scanningCommit } from './documents/scan-documents.ts';
import { repeat } from './jobs/repeat.ts';
import { systemTimer } from './jobs/timer.ts';
import type { LedgerWatch } from './ledger/ledger-watch.ts';
import type { CascadePolicy } from './notifications/cascade.ts';
import type { LeavingChannels } from './notifications/channels/channel.ts';
import { inboxChannel } from './notifications/channels/inbox.ts';
import { withSimulators } from './notifications/simulator.ts';
import { type Delivering, startDelivery, wakingCommit } from './notifications/start-delivery.ts';
import { tellingCommit } from './notifications/webhooks/number-feed.ts';
import type { Calling } from './notifications/webhooks/start-webhooks.ts';
import { operations } from './operations.ts';
import { recordEndpoints } from './oversight/endpoint-ledger.ts';
import { ledgerPages } from './oversight/ledger-pages.ts';
import { problemPages } from './portal/problem-pages.ts';
import { style } from './portal/style.ts';

/** What one process does; all of it unless the operator splits it. */
export const roles = ['api', 'worker', 'sequencer'] as const;
export type Role = (typeof roles)[number];

/** What the mode of running decides. */
export type Mode = {
  readonly roles: ReadonlySet<Role>;
  /** Whether missing signing keys are made: in the demo. */
  readonly makeKeys: boolean;
  /** Whether client secrets are taken where the operator has not said it. */
  readonly isDemo: boolean;
  /** The channels that leave the house. */
  readonly channels: LeavingChannels;
  readonly cascade: CascadePolicy;
  /** Whether the invented citizens of the simulator are known. */
  readonly simulated: boolean;
  readonly pages: readonly Page[];
};

/** A running server, until it is stopped: then what was taken is finished first. */
export type Running = {
  readonly publicUrl: string;
  readonly adminUrl: string | undefined;
  issueAccessToken(clientId: string, scopes: readonly string[]): Promise<string>;
  /** Makes clients that another hand has just stored known here. */
  forgetClients(): void;
  stop(): Promise<void>;
};

const stopWithinMs = 25_000;

/** What was begun and has to be stopped. */
type Part = { stop(deadlineMs: number): Promise<unknown> };
type Begin = <P extends Part | undefined>(part: P) => P;

/** Starts the roles of this process on an open house. Where one cannot start, those before it are stopped again. */
export async function serve(given: House, mode: Mode): Promise<Running> {
  const begun: Part[] = [];
  const begin: Begin = (part) => {
    if (part !== undefined) begun.unshift(part);
    return part;
  };
  try {
    return await startRoles(given, mode, begin);
  } catch (fault) {
    await stopAll(
      given.log,
      begun.map((part) => () => part.stop(stopWithinMs)),
    );
    throw fault;
  }
}

async function startRoles(given: House, mode: Mode, begin: Begin): Promise<Running> {
  let metrics: Metrics | undefined;
  let calling: Calling | undefined;
  const commit = tellingCommit(given.commit, () => calling?.wake());
  const house = { ...given, commit, log: observed(given.log, () => metrics) };
  const { settings } = house;
  const { port, publicUrl } = await chooseAddress(settings);
  const access = await openAccess(house, mode.makeKeys);
  // Before anything is at work: a wrong setting stops the start here.
  const edge = openEdge(house, publicUrl);
  // A setting that is wrong stops the start before anything is at work.
  await standingPolicy(house);
  calling = begin(mode.roles.has('worker') ? startCalling(house) : undefined);
  const delivering = begin(mode.roles.has('worker') ? await startWorker(house, access, mode) : undefined);
  const endpoints = endpointsOf(operations);
  await recordEndpoints(endpoints, { ...house, read: house.db.read });
  const ledger = begin(openLedger(house, access, publicUrl));
  const sequencing = begin(mode.roles.has('sequencer') ? await startSequencer(house, ledger) : undefined);
  const ports = await openPorts(house, access, { ...mode, publicUrl, endpoints, ledger });
  const keeping = begin(mode.roles.has('worker') ? startKeeping(house, ports) : undefined);
  const secrets = settings.clientSecrets ?? mode.isDemo;
  const front = createFront(house, access, { publicUrl, edge, watch: ledger.watch, secrets });
  const server = begin(
    createApiServer({
      house: {
        ...house,
        gate: front.gate,
        longestHiddenMs: settings.accessLogHiddenDays * 86_400_000,
        read: house.db.read,
        ports,
        commit: scanningCommit(
          delivering === undefined ? house.commit : wakingCommit(house.commit, delivering.wake),
          () => keeping?.wake(),
        ),
        byteLimit: settings.documentLimit,
      },
      operations,
      pages: [...front.pages, ...ledgerPages(ledger.view), ...mode.pages],
      mounts: [...providerCallbacks(house), ...confirmMounts(house), ...front.mounts],
      publicUrl,
      apiVersion,
      random: house.random,
      log: house.log,
      ...edge,
    }),
  );
  if (mode.roles.has('api')) await server.listen(settings.host, port);
  metrics = await createMetrics();
  metrics.gauges(ledgerGauges(ledger.watch));
  const adminPort = await metrics.listen(settings.adminPort);
  const refresh = refreshRoot(house);
  return {
    publicUrl,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    issueAccessToken: front.issueAccessToken,
    forgetClients: front.forget,
    stop: async () => {
      const parts = [refresh, server, delivering, calling, keeping, sequencing, ledger];
      const channels = Object.values(mode.channels);
      await stopAll(house.log, [
        ...parts.map((part) => () => part?.stop(stopWithinMs)),
        ...[...channels, metrics].map((part) => () => part?.close()),
      ]);
      await house.close();
    },
  };
}

/** Ends one part after the other; a part that cannot end well (its database is gone) is told and does not keep the others. */
async function stopAll(log: Log, parts: readonly (() => Promise<unknown> | undefined)[]): Promise<void> {
  for (const stop of parts) {
    try {
      await stop();
    } catch (fault) {
      log.fault('stop', fault);
    }
  }
}

/** Takes over a root key that is being rotated by another hand. */
function refreshRoot({ log, root }: House): { stop(): Promise<void> } {
  return repeat({
    timer: systemTimer,
    everyMs: 60_000,
    onFault: (fault) => log.fault('root-key', fault),
    call: async () => root.refresh(),
  });
}

/** Where callers find this server. A free port where none is named: it has to be known before the first token. */
async function chooseAddress(settings: Settings): Promise<{ readonly port: number; readonly publicUrl: string }> {
  const port = settings.port === 0 ? await freePort(settings.host) : settings.port;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const scheme = settings.tlsCertificate === undefined ? 'http' : 'https';
  return { port, publicUrl: settings.publicUrl ?? `${scheme}://${host}:${port}` };
}

async function freePort(host: string): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, host, resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function startWorker(house: House, access: Access, { channels, cascade, simulated }: Mode): Promise<Delivering> {
  return startDelivery({
    ...house,
    read: house.db.read,
    timer: systemTimer,
    channels: { ...channels, inbox: inboxChannel },
    cascade,
    soleProcess: house.db.engine === 'sqlite',
    contactOf: simulated ? withSimulators(contactsOf(house)) : contactsOf(house),
    senderNameOf: senderNamesOf(access),
    onFault: (fault) => house.log.fault('delivery', fault),
  });
}

type Front = {
  readonly gate: Gate;
  readonly pages: readonly Page[];
  readonly mounts: readonly Mount[];
  issueAccessToken(clientId: string, wanted: readonly string[]): Promise<string>;
  forget(): void;
};

/** Who may come in, and the documents that tell how. */
type FrontParts = {
  readonly publicUrl: string;
  readonly edge: Edge;
  readonly watch: LedgerWatch;
  /** Whether clients may prove themselves by a secret. */
  readonly secrets: boolean;
};

function createFront(house: House, access: Access, { publicUrl, edge, watch, secrets }: FrontParts): Front {
  const { clock, random, settings, db, log } = house;
  const { keys, clients } = access;
  const { trustedIssuers, securityContact, supportEmail, termsUrl } = settings;
  const trusted = trustedIssuers.map((issuer) => createTrustedIssuer(issuer, fetch, clock));
  const checker = createTokenChecker({ clock, publicUrl, keys, clients, trusted, binding: edge.binding });
  const authorization = createAuthorizationServer({
    ...{ db, clock, random, publicUrl, scopes, trustedIssuers, keys, secrets, ...edge },
    report: (fault) => log.fault('token', fault),
  });
  const site = { publicUrl, scopes, trustedIssuers };
  const isReady = async () => {
    const { alarms } = watch.state();
    const up = await db.read('select 1 as up').then(
      () => true,
      () => false,
    );
    return { up, ledger: alarms.length === 0 ? ('ok' as const) : alarms };
  };
  return {
    gate: {
      authenticate: (header, needed, shown) =>
        checker.authenticate(header, needed === 'any' ? undefined : needed, shown),
      missingScope: checker.missingScope,
      take: (caller, needed) => {
        const refusal = edge.failedChecks.refusal(caller.clientId);
        return refusal === undefined ? edge.quotas.take(caller, needed) : { headers: {}, refusal };
      },
      failed: edge.failedChecks.count,
    },
    pages: [
      ...apiDocuments(operations, { publicUrl, apiVersion, supportEmail, termsUrl }, isReady),
      jsonPage('/.well-known/oauth-protected-resource/v1', protectedResourceMetadata(site)),
      catalogPage(apiCatalog(publicUrl)),
      ...(securityContact === undefined
        ? []
        : [securityTxtPage(clock, (expires) => securityTxt(publicUrl, securityContact, expires))]),
      ...problemPages,
      style,
    ],
    mounts: authorization.places.map((place) => ({ ...place, handler: authorization.handler })),
    issueAccessToken: authorization.issueAccessToken,
    forget: checker.forget,
  };
}

function observed(log: Log, metrics: () => Metrics | undefined): Log {
  return {
    ...log,
    request: (line) => {
      metrics()?.observe(line);
      log.request(line);
    },
    fault: (kind, fault, instance) => {
      metrics()?.fault(kind);
      log.fault(kind, fault, instance);
    },
  };
}
