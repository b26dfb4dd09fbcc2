import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { demoText, keepDemoHeaders } from './demo-commands.ts';

const demo = {
  baseUrl: 'http://127.0.0.1:3000',
  tokenUrl: 'http://127.0.0.1:3000/oauth2/token',
  clients: [],
  citizens: [],
  documents: [{ id: 'doc_01JD3Y9Z8Q6W2V5T4R7N0M1KXC', citizenId: 'demo-mary' }],
};
const adminUrl = 'http://127.0.0.1:3001';

test('the demo prints at most 24 lines of 80 columns, three of them commands, and its addresses last', () => {
  const lines = demoText(demo, { dataDir: 'data', cwd: '/home/ada', adminUrl }).split('\n');
  assert.ok(lines.length <= 24, String(lines.length));
  assert.deepEqual(
    lines.filter((line) => line.length > 80),
    [],
  );
  assert.deepEqual(
    lines.filter((line) => line.startsWith('curl ')),
    [
      'curl -H @data/headers -d @data/claims.json 127.0.0.1:3000/v1/identity/verify',
      'curl -H @data/headers -d @data/message.json 127.0.0.1:3000/v1/notifications/send',
      'curl -H @data/headers 127.0.0.1:3000/v1/documents/doc_01JD3Y9Z8Q6W2V5T4R7N0M1KXC',
    ],
  );
  assert.deepEqual(
    lines.slice(-7, -2).map((line) => line.split(/ {2,}/)[2]),
    ['/docs/guide', '/docs', '/me', '/staff', '/outbox'].map((path) => `http://127.0.0.1:3000${path}`),
  );
});

test('the commands quote a path for the shell, and name a data folder elsewhere by its absolute path', () => {
  const commandIn = (dataDir: string) =>
    demoText(demo, { dataDir, cwd: '/home/ada', adminUrl })
      .split('\n')
      .find((line) => line.startsWith('curl '));
  assert.match(commandIn('/srv/demo') ?? '', /^curl -H @\/srv\/demo\/headers -d @\/srv\/demo\/claims\.json /);
  assert.match(commandIn("/srv/it's") ?? '', /^curl -H '@\/srv\/it'\\''s\/headers' -d /);
});

test('the headers of the demo have a new token each minute, also after a failure, until the demo stops', async (t) => {
  const dataDir = makeFolder(t);
  const path = join(dataDir, 'headers');
  let [issued, faults] = [0, 0];
  const issueToken = async () => {
    issued += 1;
    if (issued === 2) throw new Error('the database is busy');
    return `token-${issued}`;
  };
  let elapse: (() => void) | undefined;
  const timer = (delayMs: number, call: () => void) => {
    assert.equal(delayMs, 60_000);
    elapse = call;
    return () => {
      elapse = undefined;
    };
  };
  const onFault = () => {
    faults += 1;
  };
  const stop = await keepDemoHeaders({ dataDir, issueToken, timer, onFault });
  const headers = () => readFileSync(path, 'utf8');
  const expected = (token: string) => `Authorization: Bearer ${token}\nContent-Type: application/json\n`;
  const minute = async () => {
    elapse?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  assert.deepEqual([headers(), statSync(path).mode & 0o777], [expected('token-1'), 0o600]);
  await minute();
  assert.deepEqual([headers(), faults], [expected('token-1'), 1]);
  await minute();
  assert.equal(headers(), expected('token-3'));
  stop();
  assert.deepEqual([existsSync(path), elapse], [false, undefined]);
});

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cs-demo-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}
