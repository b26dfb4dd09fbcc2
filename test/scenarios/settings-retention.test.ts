import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, test } from 'node:test';
import type { Statement } from '../../src/db/database.ts';
import { databaseFile } from '../../src/db/open-database.ts';
import { createClamdProbes } from '../../src/documents/scan/clamd-probes.ts';
import { addressWindows } from '../../src/notifications/letters/letter-template.ts';
import { startFakeClamd } from '../support/clamd.ts';
import { withFastTimers } from '../support/fast-timers.ts';
import { bearerHeaders, createHttpClient, type HttpResponse, parseJsonBody, postJson } from '../support/http-client.ts';
import { readPdfTexts } from '../support/letters.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import {
  fileCleanupScope,
  makeServerFixture,
  type RunningServer,
  type ServerFixture,
  waitUntilSigned,
} from '../support/server-process.ts';
import { validDepositHeaders, validDocument } from '../support/valid-requests.ts';
import { waitUntil } from '../support/wait-until.ts';

// The effect of the retention settings and of the letter settings on a running server. Hourly jobs also run soon after a
// start: a server that restarts every hour would otherwise never run them.

const dayMs = 86_400_000;
const settings = {
  VERIFICATIONS_KEPT_DAYS: '2',
  FEED_DAYS: '8',
  LETTER_WINDOW: 'uk-c5',
  LETTER_RETURN_ADDRESS: 'P.O. Box 100 , 0101 Oslo',
};
/** Ages in days. */
const aged = { old: 3, young: 1, overAWeek: 9 };

let home: ServerFixture;
let token = '';
let ask: ReturnType<typeof createHttpClient>;
let spool = '';
let server: RunningServer;
let otherClient = { clientId: '', clientSecret: '' };
const rescanned: Buffer[] = [];
let signatures = 'ClamAV 1.4.6/27000/Thu';
const ids: Record<'oldResult' | 'youngResult' | 'oldDocument' | 'youngDocument' | 'dueDocument', string> = {
  oldResult: '',
  youngResult: '',
  oldDocument: '',
  youngDocument: '',
  dueDocument: '',
};

const thisFile = fileCleanupScope();
before(async () => {
  const probes = createClamdProbes();
  const clamd = await startFakeClamd(thisFile, (command, stream) => {
    if (command === 'zVERSION') return `${signatures}\0`;
    if (signatures.includes('27001')) rescanned.push(stream);
    return probes.some(({ bytes }) => bytes.equals(stream)) ? 'stream: Heuristics.X FOUND\0' : 'stream: OK\0';
  });
  const folder = await makeServerFixture(thisFile);
  spool = join(folder.dataDir, 'letters');
  mkdirSync(spool);
  home = await makeServerFixture(thisFile, {
    settings: { CLAMAV: `unix:${clamd}`, LETTER_SPOOL: spool, ...withFastTimers('soon', 600_000), ...settings },
  });
  ask = createHttpClient(home.url);
  const first = await home.start('demo');
  token = await home.fetchAccessToken();
  await createRecords();
  // The unfinished erasure below needs a signed entry.
  await waitUntilSigned(home);
  await first.stop('SIGTERM');
  const people = join(folder.dataDir, 'people.csv');
  const address = 'Long Road 17,0150,Oslo,NO';
  writeFileSync(
    people,
    `citizenId,givenName,familyName,birthDate,streetAddress,postalCode,locality,country\nida,Ida,Berg,1980-01-01,${address}\n`,
  );
  const { code, stderr } = await runCommandInProcess(home, 'citizens', 'import', people);
  assert.equal(code, 0, stderr);
  const flags = ['--scopes', 'notifications:send', '--secret', '--return-address', 'Town Hall, 0102 Oslo', '--json'];
  otherClient = JSON.parse((await runCommandInProcess(home, 'clients', 'create', 'Parking', ...flags)).stdout);
  const db = await home.openDb();
  await db.write(agingStatements());
  await db.close();
  signatures = 'ClamAV 1.4.6/27001/Fri';
  server = await home.start('demo');
  token = await home.fetchAccessToken();
});

const get = async (path: string): Promise<HttpResponse> => await ask({ path, headers: bearerHeaders(token) });

/** Creates the verifications, documents and events that are old at the second start. */
async function createRecords(): Promise<void> {
  const claims = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };
  for (const name of ['oldResult', 'youngResult'] as const) {
    ids[name] = String(parseJsonBody(await ask(postJson(token, '/v1/identity/verify', claims)))['verificationId']);
  }
  for (const [name, document] of [
    ['oldDocument', validDocument],
    ['youngDocument', Buffer.from('%PDF-1.7\nyounger\n')],
    ['dueDocument', Buffer.from('%PDF-1.7\ndue\n')],
  ] as const) {
    const retained = { 'document-retain-until': new Date(Date.now() + dayMs).toISOString() };
    const headers = { ...validDepositHeaders(document), ...(name === 'dueDocument' ? retained : {}) };
    const deposit = { method: 'POST', path: '/v1/documents', headers: bearerHeaders(token, headers) };
    ids[name] = String(parseJsonBody(await ask({ ...deposit, body: document }))['id']);
    await waitUntil(async () => (await get(`/v1/documents/${ids[name]}`)).status === 200);
  }
  const withdrawn = await ask({
    method: 'DELETE',
    path: `/v1/documents/${ids.dueDocument}`,
    headers: bearerHeaders(token),
  });
  assert.equal(parseJsonBody(withdrawn)['status'], 'withdrawn', String(withdrawn.body));
  await waitUntil(async () => (parseJsonBody(await get('/v1/events'))['items'] as unknown[]).length > 0);
}

/** Statements that make the records of the first server older. */
function agingStatements(): Statement[] {
  const ageMs = (days: number) => days * dayMs;
  return [
    {
      sql: 'update verification set checked_at = checked_at - case when id = $1 then $2 else $3 end',
      args: [ids.oldResult, ageMs(aged.old), ageMs(aged.young)],
    },
    {
      sql: 'update document set scanned_at = scanned_at - case when id = $1 then $2 else $3 end',
      args: [ids.oldDocument, ageMs(aged.overAWeek), ageMs(aged.young)],
    },
    { sql: 'update document set retain_until = 1 where id = $1', args: [ids.dueDocument] },
    { sql: 'update feed_event set at = at - $1', args: [ageMs(aged.overAWeek)] },
    {
      sql: "insert into verification_limit (verification_key, failures, version, updated_at) values ('of long ago', '[]', 1, 1)",
    },
    // The state after a process was killed during the erasure.
    {
      sql: "insert into citizen_erasure (chain, event_id, at, register_kept, up_to, named_up_to) select chain, event_id, 1, false, event_id, 1 from ledger_entry where citizen_id = 'demo-mary' and number = 1",
    },
  ];
}

test('verification results are deleted after VERIFICATIONS_KEPT_DAYS, and failed verifications when they no longer count', async () => {
  await waitUntil(async () => (await get(`/v1/identity/verifications/${ids.oldResult}`)).status === 404);
  assert.equal((await get(`/v1/identity/verifications/${ids.youngResult}`)).status, 200);
  using file = new DatabaseSync(join(home.dataDir, databaseFile), { readOnly: true });
  assert.deepEqual(file.prepare('select verification_key from verification_limit').all(), []);
});

test('an erasure that a crash interrupted is completed after a restart', async () => {
  using file = new DatabaseSync(join(home.dataDir, databaseFile), { readOnly: true });
  const unfinished = file.prepare('select count(*) as erasures from citizen_erasure where named_up_to is not null');
  await waitUntil(async () => unfinished.get()?.['erasures'] === 0);
  const first = "select min(number) as number from ledger_entry where citizen_id = 'demo-mary'";
  assert.equal(file.prepare(first).get()?.['number'], 2);
});

test('a withdrawn document is erased after its retention ends', async () => {
  await waitUntil(async () => String((await get(`/v1/documents/${ids.dueDocument}`)).body).includes('document-erased'));
});

test('a cursor older than FEED_DAYS is rejected with 410', async () => {
  await waitUntil(async () => (await get('/v1/events?after=0')).status === 410);
});

test('a letter has its address in the window of LETTER_WINDOW, and the return address of the client or LETTER_RETURN_ADDRESS', async () => {
  const letters = () => readdirSync(spool).filter((name) => name.endsWith('.pdf'));
  const printLetter = async (sender: string) => {
    const before = new Set(letters());
    const body = { citizenId: 'ida', message: 'Text.', channels: ['letter'] };
    const sent = await ask(postJson(sender, '/v1/notifications/send', body));
    assert.equal(sent.status, 202, String(sent.body));
    const another = () => letters().find((name) => !before.has(name));
    await waitUntil(async () => another() !== undefined, 60_000);
    return (await readPdfTexts(readFileSync(join(spool, another() ?? '')))).boxes;
  };
  const { y, height } = addressWindows['uk-c5'];
  const otherToken = await home.fetchAccessToken(['notifications:send'], otherClient);
  for (const [sender, lines] of [
    [token, ['P.O. Box 100', '0101 Oslo']],
    [otherToken, ['Town Hall', '0102 Oslo']],
  ] as const) {
    const boxes = await printLetter(sender);
    const name = boxes.find(({ text }) => text.startsWith('Ida'));
    assert.ok(name !== undefined && name.top >= y && name.bottom <= y + height, JSON.stringify(name));
    const head = boxes.filter(({ bottom, left }) => bottom < y && left > 110).map(({ text }) => text);
    assert.deepEqual(head.slice(-2), lines);
  }
});

test('new virus signatures cause another scan of each document whose last scan is older than a week, and of no other', async () => {
  await waitUntil(async () => rescanned.some((bytes) => bytes.equals(validDocument)));
  // The server completes queued scans before it exits.
  await server.stop('SIGTERM');
  const db = await home.openDb();
  const rows = await db.read('select id, scan_engine, scan_due_at from document where id in ($1, $2) order by id', [
    ids.oldDocument,
    ids.youngDocument,
  ]);
  await db.close();
  assert.deepEqual(
    rows.map((row) => [row['id'], row['scan_engine'], row['scan_due_at']]),
    [
      [ids.oldDocument, 'ClamAV 1.4.6/27001/Fri', null],
      [ids.youngDocument, 'ClamAV 1.4.6/27000/Thu', null],
    ],
  );
});
