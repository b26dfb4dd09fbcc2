import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { problems } from '../kernel/problem-catalogue.ts';
import type { ProblemSlug } from '../kernel/refusal.ts';
import type { PageRoute } from './api-server.ts';
import type { Log, RequestLine } from './log.ts';

/** What operators watch; labels are routes, statuses and problems, never a client's input. */
export type Metrics = {
  observe(line: RequestLine): void;
  /** Counts a request that was refused before there was a route, as under load: without a method and a route. */
  refused(problem: ProblemSlug): void;
  /** Counts a fault that the operator was told of, by its kind; broken documents are among them. */
  fault(kind: string): void;
  /** Begins to count something, and gives what counts one. */
  counter(of: CounterOptions): (labels: MetricLabels) => void;
  /** Shows what is read when the metrics are: a number each, or nothing where there is none. */
  gauges(list: readonly Gauge[]): void;
  /** What was counted here, for the thread that serves the metrics of all. */
  snapshot(): Promise<MetricsSnapshot>;
  /** `/metrics`, with what `others` have counted. */
  page(others?: () => Promise<readonly MetricsSnapshot[]>): PageRoute;
};

/** What only goes up. `known` is there with 0 from the start, since Prometheus sees no rise from nothing; labels are words of this program. */
type CounterOptions = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly initialLabels: readonly MetricLabels[];
};

/** A figure that goes up and down; with `label` one for each of its values, which are words of this program. */
export type Gauge = { readonly name: string; readonly help: string } & (
  | { readonly label?: never; read(): number | undefined }
  | { readonly label: string; read(): ReadonlyMap<string, number> }
);

/** The counters of one thread, as prom-client exchanges them. */
export type MetricsSnapshot = MetricObjectWithValues<MetricValue<string>>[];

/** What is told as a fault of the log, besides those of an operation. */
const faultKinds = [
  'api-thread call-backs citizen-pages clock database delivery document-blob-left document-bytes-broken',
  'document-infected document-record-broken documents http identity ledger ledger-alarm ledger-behind ledger-witnesses',
  'letters queues received register root-key scan scanner-down stop time-stamp tls token trusted-issuer webhooks',
].flatMap((line) => line.split(' '));

/** Loads prom-client (0.1 s, so after the server listens) and starts counting. */
export async function createMetrics(): Promise<Metrics> {
  const { AggregatorRegistry, Counter, Gauge, Histogram, Registry, collectDefaultMetrics } = await import(
    'prom-client'
  );
  const registry = new Registry();
  // What is told once for the process, whatever its threads.
  const processRegistry = new Registry();
  const requests = new Counter({
    name: 'citizen_services_requests_total',
    help: 'Requests answered, by operation, status and problem.',
    labelNames: ['method', 'route', 'status', 'problem'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'citizen_services_request_seconds',
    help: 'Time to the answer, in seconds, by operation.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  const counter = ({ name, help, labels: labelNames, initialLabels }: CounterOptions) => {
    const counterMetric = new Counter({ name, help, labelNames, registers: [registry] });
    for (const labels of initialLabels) counterMetric.inc(labels, 0);
    return (labels: MetricLabels) => counterMetric.inc(labels);
  };
  const fault = counter({
    name: 'citizen_services_faults_total',
    help: 'Faults told in the log, by kind: document-bytes-broken, document-record-broken, scanner-down, …',
    labels: ['kind'],
    initialLabels: faultKinds.map((kind) => ({ kind })),
  });
  const answered = counter({
    name: 'citizen_services_problems_total',
    help: 'Requests answered with a problem, by problem.',
    labels: ['problem'],
    initialLabels: Object.keys(problems).map((problem) => ({ problem })),
  });
  const snapshot = () => registry.getMetricsAsJSON();
  return {
    counter,
    refused: (problem) => {
      requests.inc({ method: '', route: '', status: problems[problem].status, problem });
      answered({ problem });
    },
    fault: (kind) => fault({ kind }),
    gauges: (list) => {
      for (const gauge of list) {
        const { name, help, label } = gauge;
        const collect = function (this: {
          set(labels: MetricLabels, value: number): void;
          remove(): void;
          reset(): void;
        }) {
          // Without a label it would begin at 0, and with one keep what it was once.
          this.reset();
          if (label === undefined) this.remove();
          for (const [labels, value] of valuesOf(gauge)) this.set(labels, value);
        };
        new Gauge({
          name,
          help,
          labelNames: label === undefined ? [] : [label],
          registers: [processRegistry],
          collect,
        });
      }
    },
    observe: ({ method, route, status, problem = '', durationMs }) => {
      requests.inc({ method, route, status, problem });
      if (problem !== '') answered({ problem });
      seconds.observe({ method, route }, durationMs / 1_000);
    },
    snapshot,
    page: (others = async () => []) => {
      collectDefaultMetrics({ register: processRegistry });
      return {
        path: '/metrics',
        get: async () => {
          const counterMetric = [await snapshot(), ...(await others())];
          const body = `${await processRegistry.metrics()}\n${await AggregatorRegistry.aggregate(counterMetric).metrics()}`;
          return { status: 200, headers: { 'content-type': registry.contentType }, body };
        },
      };
    },
  };
}

/** The labels of one figure, by their names. */
export type MetricLabels = Readonly<Record<string, string>>;

function valuesOf(gauge: Gauge): [MetricLabels, number][] {
  const { label } = gauge;
  if (label !== undefined) return [...gauge.read()].map(([key, value]) => [{ [label]: key }, value]);
  const value = gauge.read();
  return value === undefined ? [] : [[{}, value]];
}

/** A log whose lines are counted as well, once there are metrics: faults of the start then too, requests from then on. */
export function countingLog(log: Log): { readonly log: Log; begin(metrics: Metrics): void } {
  let metrics: Metrics | undefined;
  const early: string[] = [];
  return {
    begin: (begun) => {
      metrics = begun;
      for (const kind of early) begun.fault(kind);
    },
    log: {
      ...log,
      request: (line) => {
        metrics?.observe(line);
        log.request(line);
      },
      refused: (refusal, instance) => {
        metrics?.refused(refusal.slug);
        log.refused(refusal, instance);
      },
      fault: (kind, fault, instance) => {
        if (metrics === undefined) early.push(kind);
        else metrics.fault(kind);
        log.fault(kind, fault, instance);
      },
    },
  };
}
