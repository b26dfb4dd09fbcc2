// A Grafana dashboard with the same metrics as docs/operate/alerts.yaml.

type Query = { readonly expr: string; readonly legend: string };
type Panel = { readonly title: string; readonly unit: string; readonly queries: readonly Query[] };
type Row = { readonly title: string; readonly panels: readonly Panel[] };

const createPanel = (
  title: string,
  unit: string,
  ...queries: readonly (readonly [expr: string, legend: string])[]
): Panel => ({
  title,
  unit,
  queries: queries.map(([expr, legend]) => ({ expr, legend })),
});
/** The rate of a counter over the interval that Grafana chooses, summed over all processes and threads. */
const rate = (counter: string, by: string) => `sum by (${by}) (rate(citizen_services_${counter}[$__rate_interval]))`;
const latencyQuantile = (part: number) =>
  `histogram_quantile(${part}, sum by (le, route) (rate(citizen_services_request_seconds_bucket[$__rate_interval])))`;

/** The rows of the dashboard with their panels. */
export const dashboardRows: readonly Row[] = [
  {
    title: 'Requests',
    panels: [
      createPanel('Requests', 'reqps', [rate('requests_total', 'route'), '{{route}}']),
      createPanel('Responses', 'reqps', [rate('requests_total', 'status'), '{{status}}']),
      createPanel('Problems', 'reqps', [`${rate('problems_total', 'problem')} > 0`, '{{problem}}']),
      createPanel('Response time, median', 's', [latencyQuantile(0.5), '{{route}}']),
      createPanel('Response time, 99th percentile', 's', [latencyQuantile(0.99), '{{route}}']),
      createPanel('Citizens who reached the verification limit', 'short', [
        'sum(increase(citizen_services_guesses_spent_total[1h]))',
        'in an hour',
      ]),
    ],
  },
  {
    title: 'Messages and documents',
    panels: [
      createPanel('Deliveries due', 'short', ['max by (channel) (citizen_services_deliveries_due)', '{{channel}}']),
      createPanel('Age of the oldest delivery due', 's', [
        'max by (channel) (citizen_services_deliveries_oldest_due_seconds)',
        '{{channel}}',
      ]),
      createPanel('Delivery attempts by outcome', 'cps', [
        `${rate('delivery_outcomes_total', 'channel, outcome, who_acts')} > 0`,
        '{{channel}} {{outcome}} {{who_acts}}',
      ]),
      createPanel('Webhook calls due', 'short', ['max(citizen_services_webhook_calls_due)', 'calls']),
      createPanel(
        'Age of the oldest webhook call due and of the oldest unscanned document',
        's',
        ['max(citizen_services_webhook_calls_oldest_due_seconds)', 'webhook call'],
        ['max(citizen_services_scans_oldest_due_seconds)', 'document'],
      ),
    ],
  },
  {
    title: 'Ledger',
    panels: [
      createPanel('Entries signed', 'cps', [
        'max(deriv(citizen_services_ledger_signed_entries[$__rate_interval]))',
        'entries',
      ]),
      createPanel('Events without a number', 'short', ['max(citizen_services_ledger_waiting_events)', 'events']),
      createPanel('Age of the oldest event without a number', 's', [
        'max(citizen_services_ledger_oldest_waiting_seconds)',
        'event',
      ]),
      createPanel('Entries signed but not cosigned by the witnesses', 'short', [
        'max(citizen_services_ledger_signed_entries) - max(citizen_services_ledger_cosigned_entries)',
        'entries',
      ]),
    ],
  },
  {
    title: 'Processes',
    panels: [
      createPanel('Errors in the log', 'cps', [`${rate('faults_total', 'kind')} > 0`, '{{kind}}']),
      createPanel('CPU', 'percentunit', [
        'rate(process_cpu_seconds_total{job="citizen-services"}[$__rate_interval])',
        '{{instance}}',
      ]),
      createPanel('Memory', 'bytes', ['process_resident_memory_bytes{job="citizen-services"}', '{{instance}}']),
      createPanel('Event loop lag, 99th percentile', 's', [
        'nodejs_eventloop_lag_p99_seconds{job="citizen-services"}',
        '{{instance}}',
      ]),
      createPanel('API threads', 'short', ['citizen_services_api_threads', '{{instance}}']),
      createPanel('Open files and connections', 'short', ['process_open_fds{job="citizen-services"}', '{{instance}}']),
    ],
  },
];

const datasource = { type: 'prometheus', uid: '$datasource' };
const [columns, width, height] = [24, 8, 8];

/** The dashboard as JSON that Grafana can import, with three panels side by side. */
export function dashboard(): string {
  let [id, y] = [0, 0];
  const panels: object[] = [];
  for (const { title, panels: own } of dashboardRows) {
    id += 1;
    panels.push({ id, type: 'row', title, collapsed: false, panels: [], gridPos: { h: 1, w: columns, x: 0, y } });
    y += 1;
    for (const [at, panel] of own.entries()) {
      id += 1;
      const x = (at * width) % columns;
      panels.push(panelOf(panel, { id, x, y: y + Math.floor((at * width) / columns) * height }));
    }
    y += Math.ceil((own.length * width) / columns) * height;
  }
  const page = {
    uid: 'citizen-services',
    title: 'citizen-services',
    tags: ['citizen-services'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'utc',
    templating: { list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' }] },
    panels,
  };
  return `${JSON.stringify(page, null, 2)}\n`;
}

function panelOf({ title, unit, queries }: Panel, { id, x, y }: { id: number; x: number; y: number }): object {
  return {
    id,
    type: 'timeseries',
    title,
    datasource,
    gridPos: { h: height, w: width, x, y },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map(({ expr, legend }, at) => ({
      refId: String.fromCharCode(65 + at),
      datasource,
      expr,
      legendFormat: legend,
    })),
  };
}
