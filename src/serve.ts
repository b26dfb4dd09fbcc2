import { endpointsOf } from './api/endpoint-register.ts';
import { createMetrics, type Metrics, observed, type Snapshot } from './api/metrics.ts';
import type { ApiServer, Page } from './api/server.ts';
import { isShared, type Seat } from './api/spread.ts';
import { tryPort } from './api/try-port.ts';
import { readinessPath } from './api/well-known.ts';
import { type ApiThreads, openApiThreads, type ThreadParts } from './api-threads.ts';
import { openEdge } from './compose/access.ts';
import { watchClock } from './compose/clock.ts';
import { countingCommit, eventCounts } from './compose/counts.ts';
import { type Keeping, startKeeping } from './compose/documents.ts';
import { createFront, type Front, startAdmin } from './compose/front.ts';
import { startClearing } from './compose/identity.ts';
import { ledgerGauges, openLedger, startSequencer } from './compose/ledger.ts';
import { contactsOf, startCalling, watchQueues } from './compose/notifications.ts';
import { tellOutagesOnce } from './compose/outages.ts';
import { openPorts } from './compose/ports.ts';
import { sendersOf } from './compose/senders.ts';
import { lookAtTheStart } from './compose/start-looks.ts';
import { type Access, type House, openAccess } from './compose.ts';
import { publicUrlOn } from './config/public-url.ts';
import type { Settings } from './config/settings.ts';
import { repeat } from './jobs/repeat.ts';
import type { LeavingChannels } from './notifications/channels/channel.ts';
import { inboxChannel } from './notifications/channels/inbox.ts';
import type { CascadePolicy } from './notifications/delivery/cascade.ts';
import { type Delivering, startDelivery } from './notifications/delivery/start-delivery.ts';
import { tellingCommit } from './notifications/webhooks/number-feed.ts';
import type { Calling } from './notifications/webhooks/start-webhooks.ts';
import { listen, openServer } from './open-server.ts';
import { operations } from './operations.ts';
import { recordEndpoints } from './oversight/endpoint-ledger.ts';
import { stopAll, stopWithinMs } from './stop-all.ts';
import type { ThreadOrder, Wakes } from './thread-messages.ts';

/** What one process does; all of it unless the operator splits it. */
export const roles = ['api', 'worker', 'sequencer'] as const;
export type Role = (typeof roles)[number];

/** What the mode of running decides. */
export type Mode = {
  readonly roles: ReadonlySet<Role>;
  /** Whether missing signing keys are made. */
  readonly isDemo: boolean;
  /** The channels that leave the house; the worker role needs them. */
  readonly channels?: LeavingChannels;
  readonly cascade: CascadePolicy;
  readonly pages: readonly Page[];
  readonly isPrepared?: () => boolean;
  /** The threads that may answer. */
  readonly threads?: Pick<ThreadOrder, 'environment' | 'rootKeyPath'> & Pick<ThreadParts, 'onLost'>;
  /** Whether this is a thread that helps another one of its process, which has told it where to listen. */
  readonly isHelper?: boolean;
  /** Among the threads that may listen on one port. */
  readonly seat: Seat;
  /** Where the worker role of this process is in another thread: what wakes it. */
  readonly wakes?: Wakes;
};

/** A running server, until it is stopped: then what was taken is finished first. */
export type Running = {
  readonly publicUrl: string;
  readonly adminUrl: string | undefined;
  issueAccessToken(clientId: string, scopes: readonly string[]): Promise<string>;
  /** Makes clients that another hand has just stored known here. */
  forgetClients(): void;
  /** What was counted here, for the metrics of the process. */
  snapshot(): Promise<Snapshot>;
  /** Leaves the port to the other threads, and resolves when nobody is connected any more; then it can be stopped. */
  leave(): Promise<void>;
  stop(): Promise<void>;
};

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
      given,
      begun.map((part) => () => part.stop(stopWithinMs)),
    );
    throw fault;
  }
}

async function startRoles(given: House, mode: Mode, begin: Begin): Promise<Running> {
  const watched = observed(given.log);
  let calling: Calling | undefined;
  let delivering: Delivering | undefined;
  let keeping: Keeping | undefined;
  const wakes: Wakes = mode.wakes ?? {
    calling: () => calling?.wake(),
    delivery: (queues) => delivering?.wake(queues),
    scanning: () => keeping?.wake(),
  };
  const counting = countingCommit(tellingCommit(given.commit, wakes.calling));
  const { port, publicUrl } = await chooseAddress(given.settings);
  const demo = mode.isDemo ? await (await import('./compose/demo-issuer.ts')).demoSignIn(given, publicUrl) : undefined;
  const settings = demo?.settings ?? given.settings;
  const outages = begin(tellOutagesOnce({ ...given, log: watched.log }));
  const house = { ...given, settings, commit: counting.commit, log: outages.log };
  const access = await openAccess(house, mode.isDemo && mode.isHelper !== true);
  const edge = openEdge(house, publicUrl, isAlone(house, mode));
  await lookAtTheStart(house, { isHelper: mode.isHelper === true, isWorker: mode.roles.has('worker') });
  const endpoints = endpointsOf(operations);
  await recordEndpoints(endpoints, { ...house, read: house.db.read });
  const ledger = begin(openLedger(house, access, publicUrl));
  const ports = await openPorts(house, access, { ...mode, publicUrl, endpoints, ledger });
  const front = createFront(house, access, { publicUrl, edge, watch: ledger.watch, isPrepared: mode.isPrepared });
  const served = { publicUrl, edge, front, ledger, ports, wakes, pages: mode.pages, mounts: demo?.mounts ?? [] };
  const server = begin(await openServer(house, { ...served, seat: mode.seat }));
  if (mode.roles.has('api')) await listen(server, mode.seat, { host: settings.host, port });
  const metrics = await createMetrics();
  watched.begin(metrics);
  counting.begin(eventCounts(metrics, given.log));
  const threads = begin(startThreads(house, mode, { port, publicUrl, wakes, server, front, metrics }));
  const metricsPage = metrics.page(threads?.snapshots);
  const admin = begin(mode.isHelper === true ? undefined : await startAdmin(house, front, metricsPage));
  // What may be refused comes first: a wrong setting or a port that is taken ends the start before anything is at work.
  const sequencing = begin(mode.roles.has('sequencer') ? await startSequencer(house, ledger) : undefined);
  calling = begin(mode.roles.has('worker') ? startCalling(house) : undefined);
  delivering = begin(mode.roles.has('worker') ? await startWorker(house, access, mode) : undefined);
  const queues = begin(mode.roles.has('worker') ? watchQueues(house) : undefined);
  keeping = begin(mode.roles.has('worker') ? startKeeping(house, ports) : undefined);
  const clearing = begin(mode.roles.has('worker') ? startClearing(house) : undefined);
  metrics.gauges([...ledgerGauges(ledger.watch), ...(queues?.gauges ?? []), ...(threads?.gauges ?? [])]);
  const minutely = eachMinute(house);
  return {
    publicUrl,
    adminUrl: admin?.url,
    issueAccessToken: front.issueAccessToken,
    forgetClients: front.forget,
    snapshot: metrics.snapshot,
    leave: server.leave,
    stop: async () => {
      // All of them take nothing new from now on, and share one time to finish.
      const worker: readonly (Part | undefined)[] = [delivering, calling, queues, keeping, clearing];
      await Promise.all(
        [minutely, threads, server, ...worker].map((part) => stopAll(house, [() => part?.stop(stopWithinMs)])),
      );
      await stopAll(house, [
        () => sequencing?.stop(),
        () => ledger.stop(),
        ...Object.values(mode.channels ?? {}).map((channel) => () => channel.close()),
        () => admin?.stop(),
        () => outages.stop(),
      ]);
      await house.close();
    },
  };
}

/** Whether nobody else, no process and no thread, serves this database. */
function isAlone({ db }: House, { seat }: Mode): boolean {
  return db.engine === 'sqlite' && !isShared(seat);
}

type ThreadSite = {
  readonly port: number;
  readonly publicUrl: string;
  readonly wakes: Wakes;
  readonly server: ApiServer;
  readonly front: Front;
  readonly metrics: Metrics;
};

function startThreads(
  house: House,
  mode: Mode,
  { port, publicUrl, wakes, server, front, metrics }: ThreadSite,
): ApiThreads | undefined {
  const { threads, isDemo, cascade, roles: own } = mode;
  if (threads === undefined || !own.has('api')) return undefined;
  const { environment, rootKeyPath } = threads;
  const order = { environment, isDemo, cascade, rootKeyPath, port, publicUrl };
  const pages = [...mode.pages, ...front.pages.filter(({ path }) => path === readinessPath)];
  return openApiThreads({ ...threads, seat: mode.seat, house, order, pages, wakes, server, metrics });
}

/** Takes over a root key that is being rotated by another hand, forgets keys that nobody used, and looks at the clock, also at once. */
function eachMinute(house: House): { stop(): Promise<unknown> } {
  const { log, timer, root, citizenKeys } = house;
  const minutely = { timer, everyMs: 60_000 };
  const clock = { ...minutely, call: watchClock(house), onFault: (fault: unknown) => log.fault('clock', fault) };
  // Nobody waits for it: where the clock was ahead it may have hundreds of thousands of deliveries to bring back.
  const first = clock.call().catch(clock.onFault);
  const parts = [
    repeat({
      ...minutely,
      call: async () => citizenKeys.forgetUnused(),
      onFault: (fault) => log.fault('ledger', fault),
    }),
    repeat({ ...minutely, call: async () => root.refresh(), onFault: (fault) => log.fault('root-key', fault) }),
    repeat(clock),
  ];
  return { stop: () => Promise.all([first, ...parts.map((part) => part.stop())]) };
}

/** Where callers find this server. A free port where none is named: it has to be known before the first token. */
async function chooseAddress(settings: Settings): Promise<{ readonly port: number; readonly publicUrl: string }> {
  const port = settings.port === 0 ? await tryPort({ host: settings.host, port: 0 }) : settings.port;
  return { port, publicUrl: publicUrlOn(settings, port) };
}

function startWorker(house: House, access: Access, { channels, cascade }: Mode): Promise<Delivering> {
  if (channels === undefined) throw new TypeError('the worker role is given its channels');
  return startDelivery({
    ...house,
    read: house.db.read,
    channels: { ...channels, inbox: inboxChannel },
    cascade,
    contactOf: contactsOf(house),
    senderOf: sendersOf(access, house.settings),
    onFault: (fault) => house.log.fault('delivery', fault),
  });
}
