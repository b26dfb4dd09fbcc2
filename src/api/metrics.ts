import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import { problems } from '../kernel/problem-catalogue.ts';
import type { ProblemSlug } from '../kernel/refusal.ts';
import type { Log, RequestLine } from './log.ts';
import type { PageRoute } from './page-route.ts';

/** The metrics of one thread. Labels are routes, statuses and problems, never the input of a client. */
export type Metrics = {
  observe(line: RequestLine): void;
  /** Counts a request that was refused before it had a route, with empty labels for method and route. */
  refused(problem: ProblemSlug): void;
  fault(kind: string): void;
  /** Registers a counter; the function it returns adds one. */
  counter(of: CounterOptions): (labels: MetricLabels) => void;
  gauges(list: readonly Gauge[]): void;
  /** The counters of this thread, for the thread that serves the metrics of all. */
  snapshot(): Promise<MetricsSnapshot>;
  /** `/metrics`: the counters of this thread added to those of `others`, and the gauges. */
  page(others?: () => Promise<readonly MetricsSnapshot[]>): PageRoute;
};

/** Label values are constants of this program. `initialLabels` start at 0, because Prometheus sees no increase of a series that is new. */
type CounterOptions = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly initialLabels: readonly MetricLabels[];
};

/** With `label`, `read` returns one number for each label value, which are constants of this program or names in its settings. */
export type Gauge = { readonly name: string; readonly help: string } & (
  | { readonly label?: never; read(): number | undefined }
  | { readonly label: string; read(): ReadonlyMap<string, number> }
);

/** The counters of one thread, as prom-client aggregates them. */
export type MetricsSnapshot = MetricObjectWithValues<MetricValue<string>>[];

/** The label values of one number, by label name. */
export type MetricLabels = Readonly<Record<string, string>>;

/** The kinds of faults in the log, besides those with the name of an operation. */
const faultKinds = [
  'api-thread batches citizen-pages client-keys client-use clock database delivery demo-headers document-blob-left document-bytes-broken',
  'document-infected document-record-broken documents erasure http idempotency identity ledger ledger-alarm ledger-behind ledger-witnesses',
  'letters provider-webhooks queues received register root-key scan scanner-down staff-pages stop time-stamp tls token trusted-issuer wallet wallet-lists wallet-page webhooks',
].flatMap((line) => line.split(' '));

type PromClient = typeof import('prom-client');

/** Loads prom-client, which takes 0.1 s: call it after the server listens. */
export async function createMetrics(): Promise<Metrics> {
  const client = await import('prom-client');
  const registry = new client.Registry();
  // Gauges and process metrics exist once for the process, whatever its number of threads.
  const processRegistry = new client.Registry();
  const snapshot = () => registry.getMetricsAsJSON();
  return {
    ...createRequestMetrics(client, registry),
    counter: (options) => createCounter(client, registry, options),
    gauges: (list) => {
      for (const gauge of list) registerGauge(client, processRegistry, gauge);
    },
    snapshot,
    page: (others = async () => []) => {
      client.collectDefaultMetrics({ register: processRegistry });
      return {
        path: '/metrics',
        get: async () => {
          const counters = client.AggregatorRegistry.aggregate([await snapshot(), ...(await others())]);
          const body = `${await processRegistry.metrics()}\n${await counters.metrics()}`;
          return { status: 200, headers: { 'content-type': registry.contentType }, body };
        },
      };
    },
  };
}

function createRequestMetrics(client: PromClient, registry: Registry): Pick<Metrics, 'observe' | 'refused' | 'fault'> {
  const requests = new client.Counter({
    name: 'citizen_services_requests_total',
    help: 'Responses, by operation, status and problem.',
    labelNames: ['method', 'route', 'status', 'problem'],
    registers: [registry],
  });
  const seconds = new client.Histogram({
    name: 'citizen_services_request_seconds',
    help: 'Time to the response, in seconds, by operation.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  const countFault = createCounter(client, registry, {
    name: 'citizen_services_faults_total',
    help: 'Faults in the log, by kind, such as document-bytes-broken or scanner-down.',
    labels: ['kind'],
    initialLabels: faultKinds.map((kind) => ({ kind })),
  });
  const countProblem = createCounter(client, registry, {
    name: 'citizen_services_problems_total',
    help: 'Responses with a problem, by problem.',
    labels: ['problem'],
    initialLabels: Object.keys(problems).map((problem) => ({ problem })),
  });
  return {
    observe: ({ method, route, status, problem = '', durationMs }) => {
      requests.inc({ method, route, status, problem });
      if (problem !== '') countProblem({ problem });
      seconds.observe({ method, route }, durationMs / 1_000);
    },
    refused: (problem) => {
      requests.inc({ method: '', route: '', status: problems[problem].status, problem });
      countProblem({ problem });
    },
    fault: (kind) => countFault({ kind }),
  };
}

function createCounter(client: PromClient, registry: Registry, { name, help, labels, initialLabels }: CounterOptions) {
  const counter = new client.Counter({ name, help, labelNames: labels, registers: [registry] });
  for (const initial of initialLabels) counter.inc(initial, 0);
  return (of: MetricLabels): void => counter.inc(of);
}

function registerGauge(client: PromClient, registry: Registry, gauge: Gauge): void {
  const { name, help, label } = gauge;
  const metric = new client.Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    collect: () => {
      // A labelled gauge would keep values that are gone, and one without a label would show 0 for an unknown value.
      metric.reset();
      if (label === undefined) metric.remove();
      for (const [labels, value] of valuesOf(gauge)) metric.set(labels, value);
    },
  });
}

function valuesOf(gauge: Gauge): [MetricLabels, number][] {
  const { label } = gauge;
  if (label !== undefined) return [...gauge.read()].map(([key, value]) => [{ [label]: key }, value]);
  const value = gauge.read();
  return value === undefined ? [] : [[{}, value]];
}

/** A log that also counts its lines: requests from `begin` on, and all faults. */
export function countingLog(log: Log): { readonly log: Log; begin(metrics: Metrics): void } {
  let metrics: Metrics | undefined;
  const earlyFaults: string[] = [];
  return {
    begin: (begun) => {
      metrics = begun;
      for (const kind of earlyFaults) begun.fault(kind);
    },
    log: {
      ...log,
      request: (line) => {
        metrics?.observe(line);
        log.request(line);
      },
      refused: (refusal, instance, traceId) => {
        metrics?.refused(refusal.slug);
        log.refused(refusal, instance, traceId);
      },
      fault: (kind, fault, instance) => {
        if (metrics === undefined) earlyFaults.push(kind);
        else metrics.fault(kind);
        log.fault(kind, fault, instance);
      },
    },
  };
}
