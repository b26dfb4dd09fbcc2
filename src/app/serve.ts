import { describeEndpoints } from '../api/endpoint-register.ts';
import { countingLog, createMetrics, type MetricsSnapshot } from '../api/metrics.ts';
import type { PageRoute } from '../api/page-route.ts';
import { probePort } from '../api/probe-port.ts';
import type { RunningJob } from '../api/slice.ts';
import { openTransportSecurity } from '../api/transport-security.ts';
import { readinessPath } from '../api/well-known.ts';
import { openLedger } from '../audit/open-ledger.ts';
import { recordEndpoints } from '../audit/record-endpoints.ts';
import { startSequencer } from '../audit/start-sequencer.ts';
import { publicUrlFor } from '../config/public-url.ts';
import type { Settings } from '../config/settings.ts';
import { releaseAllLeases } from '../jobs/lease.ts';
import type { CascadePolicy } from '../notifications/cascade/cascade.ts';
import type { ExternalChannels } from '../notifications/notification/channel.ts';
import { type AppContext, openAuthContext } from './app-context.ts';
import { type App, createApp } from './create-app.ts';
import { createErasureRepeater } from './erasure.ts';
import { startMinuteJobs } from './minute-jobs.ts';
import { operations } from './operations.ts';
import { createOutageLog } from './outage-log.ts';
import { startAdmin } from './public-endpoint.ts';
import { limitRepeatedFaults } from './repeated-faults.ts';
import { shutdownTimeoutMs, stopAll } from './shutdown.ts';
import type { ThreadOptions, WakeJob } from './threads/thread-messages.ts';
import { startThreadPool, type ThreadPool, type ThreadPoolDeps } from './threads/thread-pool.ts';

/** The work that a process can take on; by default all of it. */
export const roles = ['api', 'worker', 'sequencer'] as const;
export type Role = (typeof roles)[number];

/** The choices in which `demo`, `start` and a helping thread differ. */
export type ServeOptions = {
  readonly roles: ReadonlySet<Role>;
  /** The demo creates its signing keys, and its own sign-in where the settings name none. */
  readonly isDemo: boolean;
  /** The channels to providers; the worker role needs them. */
  readonly channels?: ExternalChannels;
  readonly cascade: CascadePolicy;
  readonly pages: readonly PageRoute[];
  readonly isPrepared?: () => boolean;
  /** The number of threads that answer requests, this one included. */
  readonly apiThreads: number;
  /** The options with which the first thread starts the others; undefined in the others. */
  readonly threads?: Pick<ThreadOptions, 'environment' | 'rootKeyPath'> & Pick<ThreadPoolDeps, 'onLost'>;
  /** Whether this is one of the threads that the first one started. */
  readonly isHelper?: boolean;
  /** Wakes jobs where another thread of this process has the worker role. */
  readonly wakeJob?: WakeJob;
};

/** A running server. */
export type RunningServer = {
  readonly publicUrl: string;
  readonly adminUrl: string | undefined;
  issueAccessToken(clientId: string, scopes: readonly string[]): Promise<string>;
  /** Makes this process read clients again, after another process has changed them. */
  invalidateClients(): void;
  /** The counters of this thread, for the metrics of the process. */
  snapshot(): Promise<MetricsSnapshot>;
  stop(): Promise<void>;
};

type StoppablePart = { stop(deadlineMs: number): Promise<unknown> };
type RegisterPart = <P extends StoppablePart | undefined>(part: P) => P;

/** Starts the roles of this process. If one cannot start, those before it are stopped again. */
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

/** Adds to the context what a started server has: its address, the issuers of the demo, and a log that counts and collects faults. */
async function prepareContext(given: AppContext, mode: ServeOptions, register: RegisterPart) {
  // The metrics count every fault, including those that are not logged.
  const countedLog = countingLog(limitRepeatedFaults(given.log, given.clock));
  const { port, publicUrl } = await chooseAddress(given.settings);
  const demo = mode.isDemo ? await (await import('./demo-sign-in.ts')).createDemoSignIn(given, publicUrl) : undefined;
  const settings = demo?.settings ?? given.settings;
  const outages = register(createOutageLog({ ...given, log: countedLog.log }));
  const context: AppContext = { ...given, settings, log: outages.log };
  return { context, countedLog, outages, port, publicUrl, demo };
}

async function startRoles(given: AppContext, mode: ServeOptions, register: RegisterPart): Promise<RunningServer> {
  const { apiThreads, isHelper = false } = mode;
  const { context, countedLog, outages, port, publicUrl, demo } = await prepareContext(given, mode, register);
  // Only this process can have the SQLite file open, so the holders of all leases have ended.
  if (context.db.engine === 'sqlite' && !isHelper) await context.claim(releaseAllLeases);
  const auth = await openAuthContext(context, mode.isDemo && !isHelper);
  const isAlone = context.db.engine === 'sqlite' && apiThreads === 1;
  const transport = openTransportSecurity(context, publicUrl, isAlone);
  const ledger = register(openLedger(context, auth.keys, publicUrl));
  const app = await createApp(context, {
    ...mode,
    publicUrl,
    auth,
    transport,
    ledger,
    isHelper,
    reusePort: apiThreads > 1,
    mounts: demo?.mounts ?? [],
  });
  const { endpoint, server } = app;
  register(server);
  await runStartupChecks(app, mode);
  // Before any request: a restored database may contain erased citizens.
  const erasures = isHelper ? undefined : createErasureRepeater(context);
  await erasures?.();
  await recordEndpoints(describeEndpoints(operations), { ...context, read: context.db.read });
  const jobs = jobStarter(context, app, mode);
  if (mode.roles.has('api')) {
    // SO_REUSEPORT would share a port with another program that has it.
    if (apiThreads > 1 && !isHelper) await probePort({ host: context.settings.host, port });
    await server.listen(context.settings.host, port);
  }
  const metrics = await createMetrics();
  countedLog.begin(metrics);
  for (const slice of app.slices) slice.registerMetrics(metrics);
  const threads = register(startThreads(context, mode, { port, publicUrl, wakeJob: jobs.wake, app }));
  const metricsPage = metrics.page(threads?.snapshots);
  const admin = register(isHelper ? undefined : await startAdmin(context, endpoint, metricsPage));
  // Jobs start last: a wrong setting or a port in use ends the start before anything is at work.
  const sequencing = register(mode.roles.has('sequencer') ? await startSequencer(context, ledger) : undefined);
  register(jobs);
  if (mode.roles.has('worker')) await jobs.start();
  metrics.gauges([...jobs.gauges(), ...(threads?.gauges ?? [])]);
  const minuteJobs = startMinuteJobs(context, { erasures, cleans: mode.roles.has('worker') && !isHelper });
  return {
    publicUrl,
    adminUrl: admin?.url,
    issueAccessToken: endpoint.issueAccessToken,
    invalidateClients: endpoint.invalidateClients,
    snapshot: metrics.snapshot,
    stop: async () => {
      const channels = Object.values(mode.channels ?? {}).map((channel) => () => channel.close());
      await stopServer(
        context,
        [minuteJobs, threads, server, jobs],
        [() => sequencing?.stop(), () => ledger.stop(), ...channels, () => admin?.stop(), () => outages.stop()],
      );
    },
  };
}

/** Stops the parts that take work, which share one deadline. Then stops the parts that they use, in order, and closes the database. */
async function stopServer(
  context: AppContext,
  working: readonly (StoppablePart | undefined)[],
  used: readonly (() => Promise<unknown> | undefined)[],
): Promise<void> {
  await Promise.all(working.map((part) => stopAll(context, [() => part?.stop(shutdownTimeoutMs)])));
  await stopAll(context, used);
  await context.close();
}

/** Runs the checks of the slices. A check that rejects ends the start; others report to the log. */
async function runStartupChecks({ slices }: App, { roles: own, isHelper = false }: ServeOptions): Promise<void> {
  if (isHelper) return;
  for (const check of slices.flatMap((slice) => slice.checks)) {
    if (check.onlyWorker !== true || own.has('worker')) await check.run();
  }
}

/** The jobs of the slices: woken by what this process commits, whether they run in this thread or in the first one. */
function jobStarter(context: AppContext, { slices }: App, mode: ServeOptions) {
  const running = new Map<string, RunningJob>();
  const jobs = slices.flatMap((slice) => slice.jobs);
  const wake: WakeJob = mode.wakeJob ?? ((name, queues) => running.get(name)?.wake?.(queues));
  for (const { name, wakeOn } of jobs) {
    if (wakeOn !== undefined) context.onCommitted(wakeOn, (_events, queues) => wake(name, queues));
  }
  return {
    wake,
    start: async () => {
      for (const job of jobs) running.set(job.name, await job.start());
    },
    gauges: () => [...running.values()].flatMap(({ gauges = [] }) => gauges),
    /** Stops all that have started, within the same time; one that fails does not affect the others. */
    stop: (deadlineMs: number) =>
      Promise.all([...running.values()].map((job) => stopAll(context, [() => job.stop(deadlineMs)]))),
  };
}

function startThreads(
  context: AppContext,
  { threads, isDemo, cascade, apiThreads, roles: own, pages }: ServeOptions,
  started: Pick<ThreadOptions, 'port' | 'publicUrl'> & { readonly wakeJob: WakeJob; readonly app: App },
): ThreadPool | undefined {
  if (threads === undefined || !own.has('api')) return undefined;
  const { port, publicUrl, wakeJob, app } = started;
  const { environment, rootKeyPath, onLost } = threads;
  const threadOptions = { environment, isDemo, cascade, rootKeyPath, port, publicUrl, apiThreads };
  const readiness = app.endpoint.pages.filter(({ path }) => path === readinessPath);
  return startThreadPool({ app: context, threadOptions, pages: [...pages, ...readiness], wakeJob, onLost });
}

/** The address of this server. With `PORT` 0 it is a free port, since the first access token must name it. */
async function chooseAddress(settings: Settings): Promise<{ readonly port: number; readonly publicUrl: string }> {
  const port = settings.port === 0 ? await probePort({ host: settings.host, port: 0 }) : settings.port;
  return { port, publicUrl: publicUrlFor(settings, port) };
}
