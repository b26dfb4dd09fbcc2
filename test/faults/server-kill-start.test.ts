import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { demoCitizens, demoDocuments } from '../../src/cli/demo-data.ts';
import { databaseFile } from '../../src/db/open-database.ts';
import { bearerHeaders, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { waitUntilNoSessions } from '../support/postgres-databases.ts';
import { makeServerFixture, type ServerFixture, type ServerProcess } from '../support/server-process.ts';
import { seededRandom } from '../support/test-data.ts';
import { makeTwoServerHomes, startServers } from '../support/two-server-processes.ts';
import { waitUntil } from '../support/wait-until.ts';

const rounds = Number(process.env['KILL_ROUNDS'] ?? 2);
const seed = Number(process.env['KILL_SEED'] ?? randomInt(2 ** 31));

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: a demo that is killed during its creation is complete after the next start`, async (t) => {
    t.diagnostic(`KILL_SEED=${seed}, ${rounds} kills`);
    const home = await makeServerFixture(t, { engine, database: 'empty' });
    const random = seededRandom(seed);
    for (let round = 0; round < rounds; round += 1) {
      const begun = home.launchCommand('demo');
      await pause(300 + 1_200 * random());
      await begun.stop('SIGKILL');
    }
    const server = await home.start();
    const ask = createHttpClient(home.url);
    const token = await home.fetchAccessToken();
    const { citizens, documents } = home.readDemoFile();
    assert.equal(citizens.length, demoCitizens.length);
    for (const { citizenId, familyName, birthDate } of citizens) {
      const answer = await ask(postJson(token, '/v1/identity/verify', { citizenId, familyName, birthDate }));
      assert.equal(parseJsonBody(answer)['decision'], 'match', citizenId);
    }
    for (const [index, { id }] of documents.entries()) {
      const { body } = await ask({ path: `/v1/documents/${id}`, headers: bearerHeaders(token) });
      assert.equal(body.toString('utf8'), demoDocuments[index]?.text);
    }
    assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
    assert.equal(server.stderr(), '');
  });

  test(`${engine}: an import that is killed several times continues where it stopped, and counts each row once`, async (t) => {
    const home = await makeServerFixture(t, { engine });
    assert.equal((await home.runCommand('keys', 'create')).code, 0);
    const order = importOrder(home);
    await killImports(t, home, () => home.launchCommand(...order));
    // The last kill may have been between the last commit and its report.
    assertImported(await home.runCommand(...order), home, ['finished', 'already-finished']);
  });
}

test('sqlite: an import whose server is killed is resumed by the next command, with or without a server', async (t) => {
  const home = await makeServerFixture(t);
  const order = importOrder(home);
  const server = await home.start();
  const command = home.launchCommand(...order);
  await waitUntil(async () => (await rowsRead(home)) > 0);
  await server.stop('SIGKILL');
  const { code } = await command.exited;
  t.diagnostic(code === 0 ? 'the import was faster than the kill' : 'the import was cut off');
  if (code !== 0) assert.match(command.stderr(), /what was begun is resumed/);
  assertImported(
    await home.runCommand(...order),
    home,
    code === 0 ? ['already-finished'] : ['finished', 'already-finished'],
  );
});

test('sqlite: after a kill the next start takes over the leases of the killed process at once', async (t) => {
  const home = await makeServerFixture(t);
  const holders = () => {
    using file = new DatabaseSync(join(home.dataDir, databaseFile), { readOnly: true });
    return file
      .prepare("select holder from lease where holder <> ''")
      .all()
      .map(({ holder }) => holder);
  };
  await (await home.start()).stop('SIGKILL');
  const gone = holders();
  assert.ok(gone.length >= 2, 'a worker, and the sequencer');
  await home.start();
  assert.deepEqual(
    holders().filter((holder) => gone.includes(holder)),
    [],
  );
});

test('postgres: a process that starts takes no lease from a running process', async (t) => {
  const homes = await makeTwoServerHomes(t);
  await startServers(homes);
  const db = await homes[0].openDb();
  t.after(() => db.close());
  const lease = async () => (await db.read("select fence, renewals from lease where name = 'ledger-sequencer'"))[0];
  const renewed = Number((await lease())?.['renewals']);
  await waitUntil(async () => Number((await lease())?.['renewals']) > renewed);
  assert.equal((await lease())?.['fence'], 1);
});

const rows = 8_000 * rounds;
const refused = rows / 1_000;

/** Writes a file of citizens, of whom every thousandth has no id. Returns the command that imports it. */
function importOrder(home: ServerFixture): readonly string[] {
  const lines = Array.from({ length: rows }, (_, row) => {
    const id = row % 1_000 === 999 ? '' : `import-${row}`;
    return `${id},Given${row % 97},Family${row % 1_009},19${String(10 + (row % 90))}-0${1 + (row % 9)}-15,Town ${row % 31}`;
  });
  const path = join(home.dataDir, 'people.csv');
  writeFileSync(path, `citizenId,givenName,familyName,birthDate,locality\n${lines.join('\n')}\n`);
  return ['citizens', 'import', path, '--errors', errorsOf(home), '--json'];
}

const errorsOf = (home: ServerFixture) => join(home.dataDir, 'refused.csv');

/** Starts the import several times, and kills it each time after it has stored rows. */
async function killImports(t: TestContext, home: ServerFixture, launch: () => ServerProcess): Promise<void> {
  const random = seededRandom(seed);
  for (let round = 0; round < rounds; round += 1) {
    const before = await rowsRead(home);
    const importing = launch();
    let ended = false;
    void importing.exited.then(() => {
      ended = true;
    });
    await waitUntil(async () => ended || (await rowsRead(home)) > before);
    await pause(150 * random());
    const { code } = await importing.stop('SIGKILL');
    // Otherwise its last rows could be stored during the next import, which would refuse that.
    if (home.databaseUrl !== undefined) await waitUntilNoSessions(home.databaseUrl);
    t.diagnostic(`${code === 0 ? 'done' : 'killed'} at ${await rowsRead(home)} of ${rows} rows`);
    if (code === 0) return;
  }
}

/** The number of rows that the import has read, from the database. */
async function rowsRead({ dataDir, databaseUrl }: ServerFixture): Promise<number> {
  const sql = 'select coalesce(max(rows_read), 0) as n from register_import where rows_read <> 14';
  if (databaseUrl === undefined) {
    const db = new DatabaseSync(join(dataDir, databaseFile), { readOnly: true, timeout: 10_000 });
    const row = db.prepare(sql).get();
    db.close();
    return Number(row?.['n']);
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows: found } = await client.query(sql);
  await client.end();
  return Number(found[0]?.n);
}

function assertImported(
  { code, stdout, stderr }: { code: number | null; stdout: string; stderr: string },
  home: ServerFixture,
  statuses: readonly string[],
): void {
  assert.equal(code, 0, stderr);
  const result = JSON.parse(stdout) as Record<string, unknown>;
  assert.ok(statuses.includes(String(result['status'])), stdout);
  const counts = {
    read: result['read'],
    stored: result['stored'],
    refused: result['refused'],
  };
  assert.deepEqual(counts, { read: rows, stored: rows - refused, refused });
  assert.equal(readFileSync(errorsOf(home), 'utf8').trimEnd().split('\n').length, refused + 1);
}
