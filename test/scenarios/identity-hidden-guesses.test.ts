import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, test } from 'node:test';
import { databaseFile } from '../../src/store/open.ts';
import { createExchange, jsonOf, sendJson, withToken } from '../exchange.ts';
import { makeDemoWithIssuer, type OutsideIssuer } from '../outside-issuer.ts';
import { runHere } from '../run-here.ts';
import { until } from '../until.ts';
import { afterThisFile, type ServerHome } from '../whole-server.ts';

let home: ServerHome;
let issuer: OutsideIssuer;
let citizensClient = '';
let token = '';
let ask: ReturnType<typeof createExchange>;

const thisFile = afterThisFile();
before(async () => {
  ({ issuer, home, citizensClient } = await makeDemoWithIssuer(thisFile, { ACCESS_LOG_HIDDEN_DAYS: '800' }));
  await home.start('demo');
  ask = createExchange(home.url);
  const scopes = ['--scopes', 'identity:verify,access-log:hide', '--secret', '--json'];
  const { stdout } = await runHere(home, 'clients', 'create', 'Police', ...scopes);
  token = await home.token([], JSON.parse(stdout) as { clientId: string; clientSecret: string });
});

type Told = { readonly subject: string | null; readonly receivedAt: string };

/** The messages about guesses in the citizen's inbox. */
async function toldOf(citizenId: string): Promise<Told[]> {
  const claims = { client_id: citizensClient, sub: 'somebody', scope: 'citizen:self', citizen_id: citizenId };
  const headers = withToken(await issuer.sign({ ...claims, aud: `${home.url}/v1` }));
  const listed = await ask({ path: '/v1/inbox', headers });
  assert.equal(listed.status, 200, String(listed.body));
  return (jsonOf(listed)['items'] as Told[]).filter(({ subject }) => subject?.startsWith('Somebody tried') === true);
}

async function spendGuesses(citizenId: string, hiddenUntil?: string): Promise<void> {
  for (const givenName of ['Aa', 'Bb', 'Cc', 'Dd', 'Ee', 'Ff']) {
    const asked = sendJson(token, '/v1/identity/verify', { citizenId, givenName, birthDate: '1900-01-01' });
    const hiding = { 'access-log-hidden-until': hiddenUntil, 'access-log-hidden-reason': 'Investigation' };
    const headers = { ...asked.headers, ...(hiddenUntil === undefined ? {} : hiding) };
    const answer = await ask({ ...asked, headers } as typeof asked);
    assert.equal(jsonOf(answer)['decision'], 'no_match', String(answer.body));
  }
}

const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();

test('guesses that are hidden send their citizen no message before their instant, and one then', async () => {
  const [plain, hidden, soon] = home.demo().citizens.map(({ citizenId }) => citizenId);
  assert.ok(plain !== undefined && hidden !== undefined && soon !== undefined);
  // A slow machine takes its time for six guesses.
  const instant = ahead(10_000);
  await spendGuesses(soon, instant);
  await spendGuesses(hidden, ahead(3_600_000));
  await spendGuesses(plain);
  await until(async () => (await toldOf(plain)).length === 1);
  await until(async () => (await toldOf(soon)).length === 1);
  assert.deepEqual(
    (await toldOf(soon)).map(({ receivedAt }) => receivedAt),
    [instant],
  );
  assert.deepEqual(await toldOf(hidden), []);
});

test('the message about guesses waits as long as they are hidden, for years too', async () => {
  const citizenId = home.demo().citizens[3]?.citizenId ?? '';
  const instant = ahead(700 * 86_400_000);
  await spendGuesses(citizenId, instant);
  using db = new DatabaseSync(join(home.dataDir, databaseFile), { readOnly: true });
  const rows = db
    .prepare('select send_at from notification where citizen_id = ? and send_at is not null')
    .all(citizenId);
  assert.deepEqual(
    rows.map((row) => Number(row['send_at'])),
    [Date.parse(instant)],
  );
});
