import { describeEndpoints } from '../api/endpoint-register.ts';
import { countingLog, createMetrics, type MetricsSnapshot } from '../api/metrics.ts';
import type { PageRoute } from '../api/page-route.ts';
import { probePort } from '../api/probe-port.ts';
import { readinessPath } from '../api/well-known.ts';
import { recordEndpoints } from '../audit/record-endpoints.ts';
import { publicUrlFor } from '../config/public-url.ts';
import type { Settings } from '../config/settings.ts';
import { repeatEvery } from '../jobs/repeat-every.ts';
import type { CascadePolicy } from '../notifications/cascade/cascade.ts';
import { inboxChannel } from '../notifications/channels/inbox-channel.ts';
import { type DeliveryWorker, startDelivery } from '../notifications/delivery/start-delivery.ts';
import type { ExternalChannels } from '../notifications/notification/channel.ts';
import { wakeOnFeedEvent } from '../notifications/webhooks/number-feed.ts';
import type { CallJob } from '../notifications/webhooks/start-webhooks.ts';
import { type AppContext, type AuthContext, openAuthContext } from './app-context.ts';
import { type StoreJob, startStoreJob } from './documents.ts';
import { createCountingCommit, createEventCounter } from './event-metrics.ts';
import { startCleanupJob } from './identity.ts';
import { ledgerGauges, openLedger, startSequencer } from './ledger.ts';
import { createContactLookup, startCallJob, watchQueues } from './notifications.ts';
import { openServer } from './open-server.ts';
import { operations } from './operations.ts';
import { createOutageLog } from './outage-log.ts';
import { openPorts } from './ports.ts';
import { createPublicEndpoint, type PublicEndpoint, startAdmin } from './public-endpoint.ts';
import { createSenderLookup } from './senders.ts';
import { shutdownTimeoutMs, stopAll } from './shutdown.ts';
import { runStartupChecks } from './startup-checks.ts';
import type { ThreadOptions, WakeNotifications } from './threads/thread-messages.ts';
import { startThreadPool, type ThreadPool, type ThreadPoolDeps } from './threads/thread-pool.ts';
import { openTransportSecurity } from './transport-security.ts';
import { watchClock } from './watch-clock.ts';

/** What one process does; all of it unless the operator splits it. */
export const roles = ['api', 'worker', 'sequencer'] as const;
export type Role = (typeof roles)[number];

/** What the mode of running decides. */
export type ServeOptions = {
  readonly roles: ReadonlySet<Role>;
  /** Whether missing signing keys are made. */
  readonly isDemo: boolean;
  /** The channels that leave the house; the worker role needs them. */
  readonly channels?: ExternalChannels;
  readonly cascade: CascadePolicy;
  readonly pages: readonly PageRoute[];
  readonly isPrepared?: () => boolean;
  /** The number of threads that answer requests, this one included. */
  readonly apiThreads: number;
  /** What the first thread needs to start the others; undefined in the others. */
  readonly threads?: Pick<ThreadOptions, 'environment' | 'rootKeyPath'> & Pick<ThreadPoolDeps, 'onLost'>;
  /** Whether this is one of the threads that the first one started. */
  readonly isHelper?: boolean;
  /** Where the worker role of this process is in another thread: what wakes it. */
  readonly wakeNotifications?: WakeNotifications;
};

/** A running server, until it is stopped: then what was taken is finished first. */
export type RunningServer = {
  readonly publicUrl: string;
  readonly adminUrl: string | undefined;
  issueAccessToken(clientId: string, scopes: readonly string[]): Promise<string>;
  /** Makes clients that another hand has just stored known here. */
  invalidateClients(): void;
  /** What was counted here, for the metrics of the process. */
  snapshot(): Promise<MetricsSnapshot>;
  stop(): Promise<void>;
};

/** What was begun and has to be stopped. */
type StoppablePart = { stop(deadlineMs: number): Promise<unknown> };
type RegisterPart = <P extends StoppablePart | undefined>(part: P) => P;

/** Starts the roles of this process on an open house. Where one cannot start, those before it are stopped again. */
export async function serve(app: AppContext, mode: ServeOptions): Promise<RunningServer> {
  const startedParts: StoppablePart[] = [];
  const register: RegisterPart = (part) => {
    if (part !== undefined) startedParts.unshift(part);
    return part;
  };
  try {
    return await startRoles(app, mode, register);
  } catch (fault) {
    await stopAll(
      app,
      startedParts.map((part) => () => part.stop(shutdownTimeoutMs)),
    );
    throw fault;
  }
}

async function startRoles(given: AppContext, mode: ServeOptions, register: RegisterPart): Promise<RunningServer> {
  const countedLog = countingLog(given.log);
  let callJob: CallJob | undefined;
  let deliveryJob: DeliveryWorker | undefined;
  let storeJob: StoreJob | undefined;
  const wakeNotifications: WakeNotifications = mode.wakeNotifications ?? {
    calling: () => callJob?.wake(),
    delivery: (queues) => deliveryJob?.wake(queues),
    scanning: () => storeJob?.wake(),
  };
  const counting = createCountingCommit(wakeOnFeedEvent(given.commit, wakeNotifications.calling));
  const { port, publicUrl } = await chooseAddress(given.settings);
  const demo = mode.isDemo ? await (await import('./demo-sign-in.ts')).createDemoSignIn(given, publicUrl) : undefined;
  const settings = demo?.settings ?? given.settings;
  const outages = register(createOutageLog({ ...given, log: countedLog.log }));
  const app = { ...given, settings, commit: counting.commit, log: outages.log };
  const auth = await openAuthContext(app, mode.isDemo && mode.isHelper !== true);
  const transport = openTransportSecurity(app, publicUrl, isAlone(app, mode));
  await runStartupChecks(app, { isHelper: mode.isHelper === true, isWorker: mode.roles.has('worker') });
  const endpoints = describeEndpoints(operations);
  await recordEndpoints(endpoints, { ...app, read: app.db.read });
  const ledger = register(openLedger(app, auth, publicUrl));
  const ports = await openPorts(app, auth, { ...mode, publicUrl, endpoints, ledger });
  const endpoint = createPublicEndpoint(app, auth, {
    publicUrl,
    transport,
    watch: ledger.watch,
    isPrepared: mode.isPrepared,
  });
  const served = {
    publicUrl,
    transport,
    endpoint,
    ledger,
    ports,
    wakeNotifications,
    pages: mode.pages,
    mounts: demo?.mounts ?? [],
  };
  const server = register(await openServer(app, { ...served, reusePort: mode.apiThreads > 1 }));
  if (mode.roles.has('api')) {
    const { host } = settings;
    // SO_REUSEPORT would share the port with another program of the same user. The first thread checks that nobody has it.
    if (mode.apiThreads > 1 && mode.isHelper !== true) await probePort({ host, port });
    await server.listen(host, port);
  }
  const metrics = await createMetrics();
  countedLog.begin(metrics);
  counting.begin(createEventCounter(metrics, given.log));
  const threads = register(startThreads(app, mode, { port, publicUrl, wakeNotifications, endpoint }));
  const metricsPage = metrics.page(threads?.snapshots);
  const admin = register(mode.isHelper === true ? undefined : await startAdmin(app, endpoint, metricsPage));
  // What may be refused comes first: a wrong setting or a port that is taken ends the start before anything is at work.
  const sequencing = register(mode.roles.has('sequencer') ? await startSequencer(app, ledger) : undefined);
  callJob = register(mode.roles.has('worker') ? startCallJob(app) : undefined);
  deliveryJob = register(mode.roles.has('worker') ? await startWorker(app, auth, mode) : undefined);
  const queues = register(mode.roles.has('worker') ? watchQueues(app) : undefined);
  storeJob = register(mode.roles.has('worker') ? startStoreJob(app, ports) : undefined);
  const cleanupJob = register(mode.roles.has('worker') ? startCleanupJob(app) : undefined);
  metrics.gauges([...ledgerGauges(ledger.watch), ...(queues?.gauges ?? []), ...(threads?.gauges ?? [])]);
  const minuteJobs = startMinuteJobs(app);
  return {
    publicUrl,
    adminUrl: admin?.url,
    issueAccessToken: endpoint.issueAccessToken,
    invalidateClients: endpoint.invalidateClients,
    snapshot: metrics.snapshot,
    stop: async () => {
      // All of them take nothing new from now on, and share one time to finish.
      const worker: readonly (StoppablePart | undefined)[] = [deliveryJob, callJob, queues, storeJob, cleanupJob];
      await Promise.all(
        [minuteJobs, threads, server, ...worker].map((part) => stopAll(app, [() => part?.stop(shutdownTimeoutMs)])),
      );
      await stopAll(app, [
        () => sequencing?.stop(),
        () => ledger.stop(),
        ...Object.values(mode.channels ?? {}).map((channel) => () => channel.close()),
        () => admin?.stop(),
        () => outages.stop(),
      ]);
      await app.close();
    },
  };
}

/** Whether nobody else, no process and no thread, serves this database. */
function isAlone({ db }: AppContext, { apiThreads }: ServeOptions): boolean {
  return db.engine === 'sqlite' && apiThreads === 1;
}

type ThreadStartOptions = {
  readonly port: number;
  readonly publicUrl: string;
  readonly wakeNotifications: WakeNotifications;
  readonly endpoint: PublicEndpoint;
};

function startThreads(
  app: AppContext,
  mode: ServeOptions,
  { port, publicUrl, wakeNotifications, endpoint }: ThreadStartOptions,
): ThreadPool | undefined {
  const { threads, isDemo, cascade, apiThreads, roles: own } = mode;
  if (threads === undefined || !own.has('api')) return undefined;
  const { environment, rootKeyPath } = threads;
  const threadOptions = { environment, isDemo, cascade, rootKeyPath, port, publicUrl, apiThreads };
  const pages = [...mode.pages, ...endpoint.pages.filter(({ path }) => path === readinessPath)];
  return startThreadPool({ ...threads, app, threadOptions, pages, wakeNotifications });
}

/** Takes over a root key that is being rotated by another hand, forgets keys that nobody used, and looks at the clock, also at once. */
function startMinuteJobs(app: AppContext): { stop(): Promise<unknown> } {
  const { log, timer, root, citizenKeys } = app;
  const minutely = { timer, everyMs: 60_000 };
  const clock = { ...minutely, call: watchClock(app), onFault: (fault: unknown) => log.fault('clock', fault) };
  // Nobody waits for it: where the clock was ahead it may have hundreds of thousands of deliveries to bring back.
  const first = clock.call().catch(clock.onFault);
  const parts = [
    repeatEvery({
      ...minutely,
      call: async () => citizenKeys.evictUnused(),
      onFault: (fault) => log.fault('ledger', fault),
    }),
    repeatEvery({ ...minutely, call: async () => root.refresh(), onFault: (fault) => log.fault('root-key', fault) }),
    repeatEvery(clock),
  ];
  return { stop: () => Promise.all([first, ...parts.map((part) => part.stop())]) };
}

/** Where callers find this server. A free port where none is named: it has to be known before the first token. */
async function chooseAddress(settings: Settings): Promise<{ readonly port: number; readonly publicUrl: string }> {
  const port = settings.port === 0 ? await probePort({ host: settings.host, port: 0 }) : settings.port;
  return { port, publicUrl: publicUrlFor(settings, port) };
}

function startWorker(
  app: AppContext,
  access: AuthContext,
  { channels, cascade }: ServeOptions,
): Promise<DeliveryWorker> {
  if (channels === undefined) throw new TypeError('the worker role is given its channels');
  return startDelivery({
    ...app,
    read: app.db.read,
    channels: { ...channels, inbox: inboxChannel },
    cascade,
    contactOf: createContactLookup(app),
    senderOf: createSenderLookup(access, app.settings),
    onFault: (fault) => app.log.fault('delivery', fault),
  });
}
