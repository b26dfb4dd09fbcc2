import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { databaseFile } from '../../src/db/open-database.ts';
import { anchorFileName } from '../../src/ledger/anchor.ts';
import { erasedListFileName } from '../../src/ledger/erased-list.ts';
import { bearerHeaders, createHttpClient, type HttpRequest, parseJsonBody, postJson } from '../support/http-client.ts';
import { databaseNameOf, queryServer, waitUntilNoSessions } from '../support/postgres-databases.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import {
  type ClientSecretCredentials,
  makeServerFixture,
  type RunningServer,
  type ServerFixture,
  waitUntilSigned,
} from '../support/server-process.ts';
import { findInStoredData } from '../support/stored-data-search.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { validDepositHeaders } from '../support/valid-requests.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Each is stored in another field about the person who is erased, and nowhere else. */
const canary = {
  id: 'qx-7130-vrelb',
  given: 'Qzorvina',
  family: 'Vlimpradt',
  formerFamily: 'Okrundsel',
  street: 'Wexlumgasse',
  place: 'Zurbelheim',
  email: 'qzorvina.post@example.org',
  otherEmail: 'zweitpost.q@example.org',
  phone: '+4740917352',
  documentNumber: 'PX88213407',
  reference: 'Bescheid-Jubrenk',
  subject: 'Subject Fralkomir',
  message: 'Message Drusenwolt',
  key: 'key-of-Plontrux',
  title: 'Title Hevrandal',
  document: 'Document Mirquaste',
  purpose: 'purpose Lonterfax',
} as const;
const canaries = Object.values(canary);

const claims = { citizenId: canary.id, givenName: canary.given, familyName: canary.family, birthDate: '1967-02-11' };

type Person = { readonly documentId: string; readonly notificationId: string };
type Life = { readonly home: ServerFixture; readonly token: string; readonly ask: ReturnType<typeof createHttpClient> };

const scopes = 'identity:verify,notifications:send,notifications:read,documents:read,documents:write';

/** Makes keys and a client, and returns the function that starts the server. */
async function install(home: ServerFixture): Promise<() => Promise<Life & { readonly server: RunningServer }>> {
  await run(home, 'keys', 'create');
  const { stdout } = await run(home, 'clients', 'create', 'Office', '--scopes', scopes, '--secret', '--json');
  const client = JSON.parse(stdout) as ClientSecretCredentials;
  return async () => {
    const server = await home.start('start');
    return { home, server, token: await home.fetchAccessToken([], client), ask: createHttpClient(home.url) };
  };
}

async function run(home: ServerFixture, ...args: string[]) {
  const result = await runCommandInProcess(home, ...args);
  assert.equal(result.code, 0, `${args.join(' ')}: ${result.stderr}`);
  return result;
}

/** Imports the person from files outside of the data folder. */
async function importPerson(t: TestContext, home: ServerFixture): Promise<void> {
  const folder = makeTestFolder('erasure-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const record = {
    ...claims,
    formerNames: [{ familyName: canary.formerFamily, until: '2001-05-01' }],
    streetAddress: `${canary.street} 4`,
    locality: canary.place,
    email: canary.email,
    phone: canary.phone,
    documentNumber: canary.documentNumber,
  };
  const people = join(folder, 'people.jsonl');
  writeFileSync(people, `${JSON.stringify(record)}\n`);
  await run(home, 'citizens', 'import', people);
  const contacts = join(folder, 'contacts.jsonl');
  const email = { address: canary.otherEmail, verifiedAt: '2026-01-01T00:00:00Z' };
  writeFileSync(contacts, `${JSON.stringify({ citizenId: canary.id, email })}\n`);
  await run(home, 'contacts', 'import', contacts);
}

const sendRequest = (token: string, more: object = {}, headers: Record<string, string> = {}): HttpRequest =>
  postJson(
    token,
    '/v1/notifications/send',
    { citizenId: canary.id, subject: canary.subject, message: canary.message, reference: canary.reference, ...more },
    headers,
  );

/** Stores something about the person by each kind of operation. */
async function usePerson({ token, ask }: Life): Promise<Person> {
  const verified = await ask(postJson(token, '/v1/identity/verify', { ...claims, purpose: canary.purpose }));
  assert.equal(parseJsonBody(verified)['decision'], 'match', String(verified.body));
  const failed = await ask(postJson(token, '/v1/identity/verify', { ...claims, givenName: 'Nobody' }));
  assert.equal(failed.status, 200);
  const sent = await ask(sendRequest(token, {}, { 'idempotency-key': canary.key }));
  assert.equal(sent.status, 202, String(sent.body));
  const later = { sendAt: new Date(Date.now() + 5 * 86_400_000).toISOString() };
  const scheduled = parseJsonBody(await ask(sendRequest(token, later)));
  // The event feed has its reference.
  const cancel = { method: 'POST', path: `/v1/notifications/${scheduled['id']}/cancel`, headers: bearerHeaders(token) };
  assert.equal((await ask(cancel)).status, 200);
  const bytes = Buffer.from(`%PDF-1.7\n${canary.document}\n`);
  const headers = { ...validDepositHeaders(bytes), 'citizen-id': canary.id, 'document-title': canary.title };
  const deposited = await ask({
    method: 'POST',
    path: '/v1/documents',
    headers: bearerHeaders(token, { ...headers, 'idempotency-key': `${canary.key}-2` }),
    body: bytes,
  });
  assert.equal(deposited.status, 201, String(deposited.body));
  const documentId = String(parseJsonBody(deposited)['id']);
  assert.equal((await ask({ path: `/v1/documents/${documentId}`, headers: bearerHeaders(token) })).status, 200);
  const notificationId = String(parseJsonBody(sent)['id']);
  return { documentId, notificationId };
}

const erase = (home: ServerFixture, ...more: string[]) => run(home, 'citizens', 'erase', canary.id, '--yes', ...more);

/** Asserts that no content about the person can be read, although the rows of the senders stay. */
async function assertErased({ ask, token }: Life, { documentId, notificationId }: Person): Promise<void> {
  const document = await ask({ path: `/v1/documents/${documentId}`, headers: bearerHeaders(token) });
  assert.equal(document.status, 410);
  const shown = await ask({ path: `/v1/notifications/${notificationId}`, headers: bearerHeaders(token) });
  assert.equal(shown.status, 200);
  const { citizenId, reference } = parseJsonBody(shown);
  assert.match(String(citizenId), /^erased:[0-9a-f]{32}$/);
  assert.equal(reference ?? null, null);
  const listed = await ask({ path: `/v1/notifications?citizenId=${canary.id}`, headers: bearerHeaders(token) });
  assert.deepEqual(parseJsonBody(listed)['items'], []);
  const verified = await ask(postJson(token, '/v1/identity/verify', claims));
  assert.equal(parseJsonBody(verified)['decision'], 'no_match');
}

/** Looks at every byte of the tables and indexes of a PostgreSQL database, after a vacuum that rewrites them. */
async function assertAbsentInRelations(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('vacuum full');
    await client.query('checkpoint');
    const { rows } = await client.query(
      `select pg_read_binary_file(pg_relation_filepath(c.oid)) as bytes from pg_class c
        where pg_relation_filepath(c.oid) is not null and c.relnamespace in
          (select oid from pg_namespace where nspname in ('public', 'pg_toast'))`,
    );
    const bytes = Buffer.concat((rows as { bytes: Buffer }[]).map((row) => row.bytes));
    assert.deepEqual(
      canaries.filter((text) => bytes.includes(text)),
      [],
    );
  } finally {
    await client.end();
  }
}

/**
 * Asserts that no row and no other file has one of these texts. On SQLite a copy without unused space is searched: pages may
 * keep parts of deleted rows until they are used again.
 */
async function assertAbsent(home: ServerFixture): Promise<void> {
  const found = await findInStoredData(home, canaries);
  assert.deepEqual(
    found.filter((line) => !line.startsWith(databaseFile)),
    [],
  );
  if (home.databaseUrl !== undefined) return;
  const folder = makeTestFolder('erasure-rows-');
  using db = new DatabaseSync(join(home.dataDir, databaseFile), { readOnly: true, timeout: 10_000 });
  db.exec(`vacuum into '${join(folder, 'copy.sqlite')}'`);
  assert.deepEqual(await findInStoredData({ ...home, dataDir: folder }, canaries), []);
  rmSync(folder, { recursive: true });
}

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: after an erasure no byte of the person is stored, and a restored installation erases again`, async (t) => {
    const home = await makeServerFixture(t, { engine, settings: { LOG_LEVEL: 'debug' } });
    const start = await install(home);
    await importPerson(t, home);
    const first = await start();
    const person = await usePerson(first);
    await waitUntilSigned(home);
    const before = await findInStoredData(home, canaries);
    for (const text of [canary.id, canary.family, canary.reference, canary.key])
      assert.ok(
        before.some((found) => found.endsWith(text)),
        `${text} was not stored`,
      );
    await first.server.stop('SIGTERM');
    const restore = await backUp(t, home);

    const second = await start();
    await erase(home);
    await assertAbsent(home);
    await assertErased(second, person);
    // A later message to the id can be erased as well. The key is not in use any more.
    const again = await second.ask(sendRequest(second.token, {}, { 'idempotency-key': canary.key }));
    assert.equal(again.status, 202);
    await erase(home);
    await waitUntilSigned(home);
    await assertAbsent(home);
    await second.server.stop('SIGTERM');
    await assertAbsent(home);
    const logs = [first, second].map(({ server }) => server.stderr() + server.stdout()).join('');
    for (const text of canaries) assert.ok(!logs.includes(text), `${text} is in the log`);
    if (home.databaseUrl === undefined) await assertAbsentInFiles(home);
    else await assertAbsentInRelations(home.databaseUrl);
    assert.match((await runCommandInProcess(home, 'doctor')).stdout, /erased-citizens\s+1 erased citizens/);

    await restore();
    assert.notDeepEqual(await findInStoredData(home, [canary.id]), []);
    const sick = await runCommandInProcess(home, 'doctor');
    assert.deepEqual(
      [sick.code, /lists citizens who are not erased in this database \(1\)/.test(sick.stdout)],
      [1, true],
    );
    const third = await start();
    const erasedAgain = 'the database contained citizens who are on the list of erased citizens';
    await waitUntil(async () => third.server.stderr().includes(erasedAgain));
    await waitUntilSigned(home);
    await assertAbsent(home);
    await assertErased(third, person);
    await third.server.stop('SIGTERM');
  });
}

/** Searches every byte of the data folder and of a new backup, after a vacuum. */
async function assertAbsentInFiles(home: ServerFixture): Promise<void> {
  {
    using db = new DatabaseSync(join(home.dataDir, databaseFile));
    db.exec('vacuum');
  }
  assert.deepEqual(await findInStoredData(home, canaries), []);
  const backup = join(makeTestFolder('erasure-backup-'), 'new');
  await run(home, 'backup', 'create', backup);
  assert.deepEqual(await findInStoredData({ ...home, dataDir: backup }, canaries), []);
  rmSync(backup, { recursive: true });
}

/** Backs up a stopped installation. The function that it returns restores the backup, with the present list of erased citizens. */
async function backUp(t: TestContext, home: ServerFixture): Promise<() => Promise<void>> {
  const place = makeTestFolder('erasure-restore-');
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const { dataDir, databaseUrl } = home;
  if (databaseUrl !== undefined) {
    const name = databaseNameOf(databaseUrl);
    const copy = `${name}_copy`;
    await waitUntilNoSessions(databaseUrl);
    await queryServer(`create database "${copy}" template "${name}"`);
    cpSync(join(dataDir, anchorFileName), join(place, anchorFileName));
    cpSync(join(dataDir, 'documents'), join(place, 'documents'), { recursive: true });
    return async () => {
      await queryServer(`drop database "${name}" with (force)`);
      await queryServer(`alter database "${copy}" rename to "${name}"`);
      cpSync(join(place, anchorFileName), join(dataDir, anchorFileName));
      cpSync(join(place, 'documents'), join(dataDir, 'documents'), { recursive: true });
    };
  }
  const folder = join(place, 'backup');
  await run(home, 'backup', 'create', folder);
  return async () => {
    const kept = join(place, 'kept');
    mkdirSync(kept);
    for (const file of ['root.key', erasedListFileName]) cpSync(join(dataDir, file), join(kept, file));
    rmSync(dataDir, { recursive: true });
    mkdirSync(dataDir, { mode: 0o700 });
    cpSync(join(kept, 'root.key'), join(dataDir, 'root.key'));
    const without = await run(home, 'backup', 'restore', folder);
    assert.match(without.stderr, /has no list of erased citizens/);
    rmSync(join(dataDir, databaseFile));
    rmSync(join(dataDir, anchorFileName));
    rmSync(join(dataDir, 'documents'), { recursive: true });
    cpSync(join(kept, erasedListFileName), join(dataDir, erasedListFileName));
    const restored = await run(home, 'backup', 'restore', folder);
    assert.match(restored.stderr, /has 1 entries\. 1 of them are in this backup/);
  };
}

test('an erasure with --keep-register-row keeps the row, and the list of erasures states this', async (t) => {
  const home = await makeServerFixture(t);
  await run(home, 'keys', 'create');
  await importPerson(t, home);
  await erase(home, '--keep-register-row');
  const path = join(home.dataDir, erasedListFileName);
  assert.match(readFileSync(path, 'utf8'), /^\n[0-9a-f]{32} evt_\w{26} register-kept\n$/);
  assert.notDeepEqual(await findInStoredData(home, [canary.id, canary.family]), []);
  await erase(home);
  await assertAbsent(home);
});
