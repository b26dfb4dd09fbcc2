import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { problems } from '../../src/kernel/problem-catalogue.ts';
import { freePort } from '../support/free-port.ts';
import { fetchOnce } from '../support/http-client.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

const execute = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const rulesFile = join(root, 'docs/operate/alerts.yaml');
const rules = readFileSync(rulesFile, 'utf8');
const alertNames = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
const dashboard = JSON.parse(readFileSync(join(root, 'docs/operate/dashboard.json'), 'utf8')) as {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
};
const panelQueries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const skip = hasPromtool ? false : 'promtool is not installed: apt-get install --no-install-recommends prometheus';
/** Metrics of Prometheus, node_exporter and the backup script of docs/operate/backup.md. */
const othersMetrics = /^(?:up|node_filesystem_(?:avail|size)_bytes|citizen_services_backup_verified_seconds)$/;

/** The metrics of a query, each with its labels and their values. */
function selectorsOf(text: string): { metric: string; labels: (readonly [string, readonly string[]])[] }[] {
  const found = text.matchAll(/\b((?:citizen_services|process|nodejs|node)_\w+|up)\b(?:\{([^}]*)\})?/g);
  return [...found].map(([, metric = '', matchers = '']) => ({
    metric,
    labels: [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"([^"]*)"/g)].map(
      ([, label = '', values = '']) => [label, values.split('|')] as const,
    ),
  }));
}

async function checkReportedMetrics(t: TestContext): Promise<void> {
  const settings = {
    ADMIN_PORT: '0',
    LOG_LEVEL: 'info',
    SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
    MAIL_FROM: 'no-reply@gov.example',
  };
  const home = await makeServerFixture(t, { settings });
  const server = await home.start('demo');
  const [client] = home.readDemoFile().clients;
  const authorization = `Bearer ${await home.fetchAccessToken(client?.scopes, client)}`;
  const post = (path: string, body: object) =>
    fetch(`${home.url}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  for (const day of [1, 2, 3, 4, 5, 6]) {
    const claims = { citizenId: 'demo-mary', familyName: 'Smith', birthDate: `1950-01-0${day}` };
    assert.equal((await post('/v1/identity/verify', claims)).status, 200);
  }
  const message = { citizenId: 'demo-mary', message: 'Your permit is ready.' };
  assert.equal((await post('/v1/notifications/send', message)).status, 202);
  const said = () => `${server.stdout()}${server.stderr()}`;
  const address = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(said())?.[0] ?? assert.fail();
  const metrics = async () => await (await fetchOnce(address)).text();
  const figure = async (series: string) => (await metrics()).split(`\n${series} `)[1]?.split('\n')[0];

  const retries = 'citizen_services_delivery_outcomes_total{channel="email",outcome="retry",who_acts="operator"}';
  await waitUntil(async () => Number(await figure(retries)) >= 1);
  assert.equal(await figure('citizen_services_guesses_spent_total'), '1');
  await waitUntil(async () => said().includes('the verification limit of a citizen is reached'));
  const line = said()
    .split('\n')
    .find((one) => one.includes('the verification limit of a citizen is reached'));
  assert.equal(JSON.parse(line ?? '').clientId, client?.clientId);

  // The server measures its queues every few seconds.
  await waitUntil(async () => {
    const text = await metrics();
    return ['scans_oldest_due_seconds ', 'deliveries_due{'].every((name) =>
      text.includes(`\ncitizen_services_${name}`),
    );
  });
  const text = await metrics();
  const lines = text.split('\n');
  const selectors = selectorsOf(rules.replaceAll(/#.*/g, '')).filter(({ metric }) => !othersMetrics.test(metric));
  assert.ok(selectors.length > 15);
  for (const { metric, labels } of selectors) {
    for (const [label, values] of labels.filter(([name]) => name !== 'job')) {
      for (const value of values) {
        const isReported = lines.some((one) => one.startsWith(`${metric}{`) && one.includes(`${label}="${value}"`));
        assert.ok(isReported, `${metric}{${label}="${value}"}`);
      }
    }
    assert.ok(
      lines.some((one) => one.startsWith(`${metric}{`) || one.startsWith(`${metric} `)),
      metric,
    );
  }
  const drawn = [...panelQueries].flatMap((query) => selectorsOf(query).map(({ metric }) => metric));
  assert.ok(drawn.length > 20);
  // A histogram reports buckets.
  for (const metric of drawn) assert.ok(text.includes(`# TYPE ${metric.replace(/_bucket$/, '')} `), metric);
  for (const page of globSync('docs/*.md', { cwd: root })) {
    const named = readFileSync(join(root, page), 'utf8').matchAll(/\b(citizen_services_(?!use\b)\w+)/g);
    for (const [, metric = ''] of named) {
      if (!othersMetrics.test(metric)) assert.ok(text.includes(`# TYPE ${metric} `), `${page}: ${metric}`);
    }
  }
  for (const problem of Object.keys(problems)) {
    assert.ok(text.includes(`\ncitizen_services_problems_total{problem="${problem}"} `), problem);
  }
}

test('the queries of the dashboard are valid in Prometheus', { skip }, async (t) => {
  const folder = makeTestFolder('cs-dashboard-');
  t.after(() => rmSync(folder, { recursive: true }));
  // Grafana replaces this variable.
  const queries = panelQueries.map((query) => query.replaceAll('$__rate_interval', '1m'));
  const rule = (expr: string, at: number) => ({ record: `panel:${at}`, expr });
  const file = join(folder, 'panels.yaml');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules: queries.map(rule) }] }));
  const { stdout } = await execute('promtool', ['check', 'rules', file]);
  assert.match(stdout, new RegExp(`SUCCESS: ${queries.length} rules found`));
});

test('docs/operate/monitoring.md describes what to do for each alert', () => {
  const page = readFileSync(join(root, 'docs/operate/monitoring.md'), 'utf8');
  const table = page.split('| harm | alerts of')[1]?.split('\n\n')[0] ?? assert.fail();
  const named = [...table.matchAll(/`([A-Z][a-z]+[A-Za-z]*)`/g)].map(([, name]) => name);
  assert.deepEqual(named.sort(), [...alertNames].sort());
});

test('each alert names the first action: a command, a log entry or a section of docs/operate/monitoring.md', () => {
  const said = [...rules.matchAll(/- alert: (\w+)[\s\S]*?annotations:\n +summary: '[^']+'\n +action: '([^']+)'/g)];
  assert.deepEqual(
    said.map(([, name]) => name),
    alertNames,
  );
  for (const [, name, action = ''] of said) assert.match(action, /`[^`]+`|#[a-z-]+|[A-Z]+_[A-Z]+|CLAMAV/, String(name));
});

test('each kind of fault in the log has an alert that either pages the operator or opens a ticket', () => {
  const kindsOf = (operator: string) => new RegExp(`kind${operator}"([^"]*)"`).exec(rules)?.[1]?.split('|') ?? [];
  assert.deepEqual([...kindsOf('=~'), 'tls'].sort(), kindsOf('!~').sort());
});

const well: Readonly<Record<string, string>> = {
  'up{job="citizen-services"}': '1x480',
  'process_start_time_seconds{job="citizen-services"}': '7x480',
  citizen_services_api_threads: '1x480',
  'citizen_services_deliveries_due{channel="inbox"}': '0x480',
  citizen_services_ledger_verified_entries: '40x480',
  citizen_services_ledger_oldest_waiting_seconds: '0.2x480',
  'citizen_services_deliveries_oldest_due_seconds{channel="inbox"}': '0x480',
  'citizen_services_deliveries_oldest_due_seconds{channel="email"}': '0x480',
  citizen_services_webhook_calls_oldest_due_seconds: '0x480',
  citizen_services_scans_oldest_due_seconds: '0x480',
  'citizen_services_faults_total{kind="ledger-alarm"}': '0x480',
  'citizen_services_faults_total{kind="letters"}': '0x480',
  'citizen_services_faults_total{kind="tls"}': '0x480',
  'citizen_services_problems_total{problem="outcome-unknown"}': '0x480',
  'citizen_services_problems_total{problem="bad-request"}': '0+3x480',
  'citizen_services_problems_total{problem="too-many-failed-requests"}': '0x480',
  'citizen_services_delivery_outcomes_total{channel="email",outcome="retry",who_acts="operator"}': '0x480',
  'citizen_services_delivery_outcomes_total{channel="email",outcome="failed",who_acts="operator"}': '0x480',
  'citizen_services_delivery_outcomes_total{channel="email",outcome="failed",who_acts="citizen"}': '0+1x480',
  'citizen_services_delivery_outcomes_total{channel="email",outcome="sent",who_acts=""}': '0+1x480',
  citizen_services_guesses_spent_total: '0x480',
  'node_filesystem_avail_bytes{mountpoint="/"}': '500x480',
  'node_filesystem_size_bytes{mountpoint="/"}': '1000x480',
  citizen_services_backup_verified_seconds: '0x480',
};

/** The changed series of a healthy server by the alert that they fire, with four values a minute. */
const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': {},
  Down: { 'up{job="citizen-services"}': '1x380 0x100' },
  Restarts: { 'process_start_time_seconds{job="citizen-services"}': '7x380 8x2 9x2 10x90' },
  NoApi: { citizen_services_api_threads: '1x300' },
  NoWorker: { 'citizen_services_deliveries_due{channel="inbox"}': '0x300' },
  NoSequencer: { citizen_services_ledger_oldest_waiting_seconds: '0x380 0+15x100' },
  PartStopped: { 'citizen_services_faults_total{kind="ledger-alarm"}': '0x390 1x90' },
  NotAnswered: { 'citizen_services_problems_total{problem="outcome-unknown"}': '0x390 1x90' },
  ChannelDown: {
    'citizen_services_delivery_outcomes_total{channel="email",outcome="retry",who_acts="operator"}': '0x360 0+1x120',
    'citizen_services_delivery_outcomes_total{channel="email",outcome="sent",who_acts=""}': '9x480',
  },
  DeliveriesFailed: {
    'citizen_services_delivery_outcomes_total{channel="email",outcome="failed",who_acts="operator"}': '0x390 1x90',
  },
  InboxWaits: { 'citizen_services_deliveries_oldest_due_seconds{channel="inbox"}': '0x300 0+15x180' },
  ChannelWaits: { 'citizen_services_deliveries_oldest_due_seconds{channel="email"}': '0x300 0+15x180' },
  WebhooksWait: { citizen_services_webhook_calls_oldest_due_seconds: '0x300 0+15x180' },
  DocumentsWait: { citizen_services_scans_oldest_due_seconds: '0x240 0+15x240' },
  Guessing: { citizen_services_guesses_spent_total: '0x360 0+1x120' },
  TryingIds: { 'citizen_services_problems_total{problem="too-many-failed-requests"}': '0x390 1x90' },
  Certificate: { 'citizen_services_faults_total{kind="tls"}': '0x360 1x120' },
  Fault: { 'citizen_services_faults_total{kind="letters"}': '0x390 1x90' },
  DiskFull: { 'node_filesystem_avail_bytes{mountpoint="/"}': '500x300 90x180' },
  NoBackup: { citizen_services_backup_verified_seconds: '-200000x480' },
};

/** Faults that a restarted server counted before Prometheus read its metrics for the first time. */
const atStart: typeof cases = {
  PartStopped: {
    'process_start_time_seconds{job="citizen-services"}': '7x380 5700x100',
    'citizen_services_faults_total{kind="documents"}': '1x480',
  },
  Fault: {
    'process_start_time_seconds{job="citizen-services"}': '7x380 5700x100',
    'citizen_services_faults_total{kind="letters"}': '1x480',
  },
  '': { 'citizen_services_faults_total{kind="documents"}': '1x480' },
};

async function checkFiredAlerts(t: TestContext): Promise<void> {
  assert.deepEqual(Object.keys(cases), ['', ...alertNames]);
  const folder = makeTestFolder('cs-alerts-');
  t.after(() => rmSync(folder, { recursive: true }));
  const tests = [...Object.entries(cases), ...Object.entries(atStart)].map(([alert, changed]) => ({
    name: alert,
    interval: '15s',
    input_series: Object.entries({ ...well, ...changed }).map(([series, values]) => ({ series, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: '100m',
        exp_samples: alert === '' ? [] : [{ labels: `{alertname="${alert}"}`, value: 1 }],
      },
    ],
  }));
  // JSON is YAML.
  const file = join(folder, 'alerts-tried.yaml');
  writeFileSync(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests }));
  execFileSync('promtool', ['check', 'rules', rulesFile], { stdio: 'pipe' });
  await execute('promtool', ['test', 'rules', file]);
}

// Concurrent, because the first test mostly waits.
suite('figures and alerts', { concurrency: 2 }, () => {
  test(
    'a server with faults reports every metric, label and log entry that the alerts and the pages name',
    checkReportedMetrics,
  );
  test('each alert fires for its own fault only', { skip }, checkFiredAlerts);
});
