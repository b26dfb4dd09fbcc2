import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { createClient } from '../../client/src/client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const program = join(import.meta.dirname, '../../client/src/main.ts');
/** The number of rows; `BATCH_ROWS` sets another one. */
const rowCount = Number(process.env['BATCH_ROWS'] ?? 1_000);

const thisFile = fileCleanupScope();
let home: ServerFixture;
let folder: string;

before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start();
  folder = makeTestFolder('cs-batches-');
  thisFile.after(() => rmSync(folder, { recursive: true, force: true }));
});

function credentials() {
  const [first] = home.readDemoFile().clients;
  assert.ok(first !== undefined);
  return { clientId: first.clientId, clientSecret: first.clientSecret };
}

async function run(...args: readonly string[]) {
  const { clientId, clientSecret } = credentials();
  const env = { PATH: process.env['PATH'], BASE_URL: home.url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
  const child = spawn(process.execPath, [program, 'batches', ...args], { cwd: folder, env });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once('close', resolve);
  return { code: await promise, ...written };
}

test('a file of a spreadsheet is sent with one command, which writes the outcome of each row beside it', async () => {
  // A spreadsheet of a country with decimal commas writes semicolons, and a byte order mark.
  const rows = Array.from({ length: rowCount }, (_, at) => `demo-mary;Permit;Permit ${at} is ready;inbox`);
  writeFileSync(
    join(folder, 'permits.csv'),
    `\uFEFF${['citizenId;subject;message;channels', ...rows, ''].join('\r\n')}`,
  );
  const sent = await run('send', 'permits.csv', '--name', 'Permits');
  assert.equal(sent.code, 0, sent.stderr);
  const [line = ''] = sent.stdout.split('\n');
  assert.match(line, new RegExp(`^bat_\\w{26} Permits: done, ${rowCount} rows, ${rowCount} accepted, 0 refused$`));
  assert.match(sent.stderr, new RegExp(`\\[#{30}\\] ${rowCount} of ${rowCount} rows`));
  const written = readFileSync(join(folder, 'permits.csv.results.csv'), 'utf8');
  assert.match(written, /^\uFEFF"citizenId";"subject";/);
  const results = written.trimEnd().split('\r\n');
  assert.equal(results.length, rowCount + 1);
  assert.match(results[rowCount] ?? '', new RegExp(`;"${rowCount}";"(accepted|sending|delivered)";"";"";"ntf_`));

  const again = await run('send', 'permits.csv', '--name', 'Permits');
  assert.equal(again.stdout.split('\n')[0], line, 'the same file is sent once');
  const listed = await run('list');
  assert.equal(listed.stdout, `${line}\n`);
});

test('refused rows end the command with 1, and the client package reads their codes', async () => {
  const rows = [
    { citizenId: 'demo-mary', message: 'First' },
    { citizenId: 'demo-mary', message: 'First' },
  ];
  writeFileSync(join(folder, 'two.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const sent = await run('send', 'two.jsonl', '--dry-run', '--out', 'out.csv');
  assert.equal(sent.code, 1, sent.stderr);
  const id = /bat_\w{26}/.exec(sent.stdout)?.[0] ?? '';
  assert.equal(readFileSync(join(folder, 'out.csv'), 'utf8').trimEnd().split('\r\n').length, 3);
  const client = createClient({ baseUrl: home.url, ...credentials() });
  const found: unknown[] = [];
  for await (const { row, code } of client.batchRows(id, { state: 'refused' })) found.push([row, code]);
  assert.deepEqual(found, [[2, 'duplicate-row']]);
  assert.equal((await run('send')).code, 2);
  const unknown = await run('show', 'bat_01M7WKVMFEE008WANFAS9XRDZX');
  assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
});
