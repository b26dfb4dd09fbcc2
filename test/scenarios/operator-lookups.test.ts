import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const message = 'A decision about your request.';

type LogLine = Readonly<Record<string, unknown>>;

function logLines(text: string): LogLine[] {
  return text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as LogLine] : []));
}

/** Sends a message that no relay takes, and returns its id. */
async function sendMessage(home: ServerFixture): Promise<string> {
  const authorization = `Bearer ${await home.fetchAccessToken()}`;
  const response = await fetch(`${home.url}/v1/notifications/send`, {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    },
    body: JSON.stringify({ citizenId: 'demo-mary', message, channels: ['email'] }),
  });
  const { id } = (await response.json()) as { readonly id: string };
  assert.equal(response.status, 202);
  return id;
}

/** The actors and usages in the access log of the demo's citizen, as an operator reads them. */
async function readUsages(home: ServerFixture): Promise<string> {
  return (await home.runCommand('ledger', 'access-log', 'demo-mary')).stdout;
}

test('an operator can look up why a message did not arrive and where a document is, and the citizen sees the look-up', async (t) => {
  const home = await makeServerFixture(t, {
    settings: { LOG_LEVEL: 'info', SMTP_URL: 'smtp://127.0.0.1:1' },
  });
  const server = await home.start('demo');
  const id = await sendMessage(home);
  const show = async () => await home.runCommand('notifications', 'show', id, '--json');
  const deliveryOf = async () => {
    const report = JSON.parse((await show()).stdout) as { readonly deliveries: readonly LogLine[] };
    return report.deliveries.find(({ channel }) => channel === 'email') ?? assert.fail();
  };
  await waitUntil(async () => (await deliveryOf())['reason'] !== undefined);
  const { status, nextAttemptAt, reason, attempts } = await deliveryOf();
  assert.equal(status, 'queued');
  assert.match(String(nextAttemptAt), /^\d{4}-\d\d-\d\dT/);
  assert.deepEqual((reason as LogLine)['code'], 'provider-unreachable');
  assert.equal((attempts as LogLine[])[0]?.['outcome'], 'retry');

  const text = (await home.runCommand('notifications', 'show', id)).stdout;
  assert.match(text, /email\tdlv_\w+\tqueued\tnext attempt \d{4}.*\tprovider-unreachable: /);
  assert.match(text, /attempt 1\t\d{4}.*\tretry\tprovider-unreachable: /);
  assert.ok(!text.includes(message) && !text.includes('demo-mary'));

  const document = /doc_\w+/.exec(server.stdout())?.[0] ?? assert.fail();
  const shown = await home.runCommand('documents', 'show', document);
  assert.match(shown.stdout, new RegExp(`^id\\t${document}\\nstatus\\tavailable\\nclient\\t`));
  const json = JSON.parse((await home.runCommand('documents', 'show', document, '--json')).stdout) as LogLine;
  assert.deepEqual(
    [json['id'], json['status'], json['scan'], json['legalHold']],
    [document, 'available', 'not-scanned', false],
  );

  // Each look is a use of the citizen's data by the operator.
  await waitUntil(async () => {
    const log = await readUsages(home);
    return log.includes('notification.status-read') && log.includes('document.record-read');
  });

  const unknown = await home.runCommand('notifications', 'show', `ntf_${id.slice(4).replace(/./g, '0')}`);
  assert.notEqual(unknown.code, 0);
  const wrong = await home.runCommand('documents', 'show', id);
  assert.deepEqual([wrong.code, /such as doc_01…/.test(wrong.stderr)], [2, true]);

  // The end of the process writes the last lines of the log.
  await server.stop('SIGTERM');
  const lines = logLines(server.stderr());
  const delivery = lines.find((line) => line['msg'] === 'delivery' && line['notification'] === id) ?? assert.fail();
  assert.deepEqual(
    [delivery['channel'], delivery['outcome'], delivery['reason'], delivery['level']],
    ['email', 'retry', 'provider-unreachable', 'info'],
  );
  const warning = lines.find((line) => line['msg'] === 'a provider cannot be used: its messages wait');
  assert.equal(warning?.['level'], 'warn');
  const request = lines.find((line) => line['traceId'] === traceId);
  assert.equal(request?.['route'], '/v1/notifications/send');
  assert.ok(!server.stderr().includes('demo-mary') && !server.stderr().includes(message));
});
