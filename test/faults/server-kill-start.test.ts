import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { demoCitizens, demoDocuments } from '../../src/cli/demo-town.ts';
import { databaseFile } from '../../src/store/open.ts';
import { createExchange, jsonOf, sendJson, withToken } from '../exchange.ts';
import { untilLeft } from '../postgres-databases.ts';
import { seededRandom } from '../seeded-random.ts';
import { startAll, twoProcesses } from '../two-processes.ts';
import { until } from '../until.ts';
import { type Launched, makeHome, type ServerHome } from '../whole-server.ts';

const rounds = Number(process.env['KILL_ROUNDS'] ?? 2);
const seed = Number(process.env['KILL_SEED'] ?? randomInt(2 ** 31));

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: a demo that is killed while it is made comes up at the next start, and is whole`, async (t) => {
    t.diagnostic(`KILL_SEED=${seed}, ${rounds} kills`);
    const home = await makeHome(t, { engine, database: 'empty' });
    const random = seededRandom(seed);
    for (let round = 0; round < rounds; round += 1) {
      const begun = home.launch('demo');
      await pause(300 + 1_200 * random());
      await begun.end('SIGKILL');
    }
    const server = await home.start();
    const ask = createExchange(home.url);
    const token = await home.token();
    const { citizens, documents } = home.demo();
    assert.equal(citizens.length, demoCitizens.length);
    for (const { citizenId, familyName, birthDate } of citizens) {
      const answer = await ask(sendJson(token, '/v1/identity/verify', { citizenId, familyName, birthDate }));
      assert.equal(jsonOf(answer)['decision'], 'match', citizenId);
    }
    for (const [index, { id }] of documents.entries()) {
      const { body } = await ask({ path: `/v1/documents/${id}`, headers: withToken(token) });
      assert.equal(body.toString('utf8'), demoDocuments[index]?.text);
    }
    assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
    assert.equal(server.stderr(), '');
  });

  test(`${engine}: an import that is killed again and again goes on where it was, and counts each row once`, async (t) => {
    const home = await makeHome(t, { engine });
    assert.equal((await home.run('keys', 'create')).code, 0);
    const order = importOrder(home);
    await killImports(t, home, () => home.launch(...order));
    // The last kill may have come between the last commit and its report.
    assertImported(await home.run(...order), home, ['finished', 'already-finished']);
  });
}

test('sqlite: an import whose server is killed is resumed by the next command, with or without a server', async (t) => {
  const home = await makeHome(t);
  const order = importOrder(home);
  const server = await home.start();
  const command = home.launch(...order);
  await until(async () => (await rowsRead(home)) > 0);
  await server.end('SIGKILL');
  const { code } = await command.ended;
  t.diagnostic(code === 0 ? 'the import was faster than the kill' : 'the import was cut off');
  if (code !== 0) assert.match(command.stderr(), /what was begun is resumed/);
  assertImported(await home.run(...order), home, code === 0 ? ['already-finished'] : ['finished', 'already-finished']);
});

test('sqlite: behind a kill nothing waits for what the process that is gone had for itself', async (t) => {
  const home = await makeHome(t);
  const holders = () => {
    using file = new DatabaseSync(join(home.dataDir, databaseFile), { readOnly: true });
    return file
      .prepare("select holder from lease where holder <> ''")
      .all()
      .map(({ holder }) => holder);
  };
  await (await home.start()).end('SIGKILL');
  const gone = holders();
  assert.ok(gone.length >= 2, 'a worker, and the sequencer');
  await home.start();
  assert.deepEqual(
    holders().filter((holder) => gone.includes(holder)),
    [],
  );
});

test('postgres: a process that starts takes nothing from those that are at work', async (t) => {
  const homes = await twoProcesses(t);
  await startAll(homes);
  const db = await homes[0].openDb();
  t.after(() => db.close());
  const lease = async () => (await db.read("select fence, renewals from lease where name = 'ledger-sequencer'"))[0];
  const renewed = Number((await lease())?.['renewals']);
  await until(async () => Number((await lease())?.['renewals']) > renewed);
  assert.equal((await lease())?.['fence'], 1);
});

const rows = 8_000 * rounds;
const refused = rows / 1_000;

/** A file of citizens of whom every thousandth has no id, and the command that imports it. */
function importOrder(home: ServerHome): readonly string[] {
  const lines = Array.from({ length: rows }, (_, row) => {
    const id = row % 1_000 === 999 ? '' : `import-${row}`;
    return `${id},Given${row % 97},Family${row % 1_009},19${String(10 + (row % 90))}-0${1 + (row % 9)}-15,Town ${row % 31}`;
  });
  const path = join(home.dataDir, 'people.csv');
  writeFileSync(path, `citizenId,givenName,familyName,birthDate,locality\n${lines.join('\n')}\n`);
  return ['import', 'citizens', path, '--errors', errorsOf(home), '--json'];
}

const errorsOf = (home: ServerHome) => join(home.dataDir, 'refused.csv');

/** Starts the import and kills it some time after it has stored rows, again and again; true where it was done before. */
async function killImports(t: TestContext, home: ServerHome, launch: () => Launched): Promise<void> {
  const random = seededRandom(seed);
  for (let round = 0; round < rounds; round += 1) {
    const before = await rowsRead(home);
    const importing = launch();
    let ended = false;
    void importing.ended.then(() => {
      ended = true;
    });
    await until(async () => ended || (await rowsRead(home)) > before);
    await pause(150 * random());
    const { code } = await importing.end('SIGKILL');
    // Else its last rows might be stored under the next one, which has to refuse that.
    if (home.databaseUrl !== undefined) await untilLeft(home.databaseUrl);
    t.diagnostic(`${code === 0 ? 'done' : 'killed'} at ${await rowsRead(home)} of ${rows} rows`);
    if (code === 0) return;
  }
}

/** How many rows of the file are stored, by a look into the database beside the program. */
async function rowsRead({ dataDir, databaseUrl }: ServerHome): Promise<number> {
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
  home: ServerHome,
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
