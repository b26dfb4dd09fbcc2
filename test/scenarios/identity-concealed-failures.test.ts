import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, suite, test } from 'node:test';
import { databaseFile } from '../../src/db/open-database.ts';
import { type ExternalIssuer, makeDemoWithExternalIssuer } from '../support/external-issuer.ts';
import { bearerHeaders, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { fileCleanupScope, type ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

let home: ServerFixture;
let issuer: ExternalIssuer;
let citizensClient = '';
let token = '';
let ask: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  ({ issuer, home, citizensClient } = await makeDemoWithExternalIssuer(thisFile, { ACCESS_LOG_HIDDEN_DAYS: '800' }));
  await home.start('demo');
  ask = createHttpClient(home.url);
  const scopes = ['--scopes', 'identity:verify,access-log:hide', '--secret', '--json'];
  const { stdout } = await runCommandInProcess(home, 'clients', 'create', 'Police', ...scopes);
  token = await home.fetchAccessToken([], JSON.parse(stdout) as { clientId: string; clientSecret: string });
});

type Notice = { readonly sender: string; readonly receivedAt: string };

/** The parts of the access log that the test reads. */
async function readAs(citizenId: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  const claims = { client_id: citizensClient, sub: 'somebody', scope: 'citizen:self', citizen_id: citizenId };
  const headers = bearerHeaders(await issuer.sign({ ...claims, aud: `${home.url}/v1` }));
  const answer = await ask({ path, headers });
  assert.equal(answer.status, 200, String(answer.body));
  return parseJsonBody(answer);
}

/** The limit notices in the citizen's inbox. */
async function limitNoticesOf(citizenId: string): Promise<Notice[]> {
  const { items } = await readAs(citizenId, '/v1/inbox');
  // The register sends no other messages in this test. The subject is in the language of the citizen.
  return (items as Notice[]).filter(({ sender }) => sender === 'Population register');
}

const wrongNames = ['Aa', 'Bb', 'Cc', 'Dd', 'Ee', 'Ff'];

async function failVerifications(citizenId: string, hiddenUntil?: string, names = wrongNames): Promise<void> {
  for (const givenName of names) {
    const asked = postJson(token, '/v1/identity/verify', { citizenId, givenName, birthDate: '1900-01-01' });
    const hiding = { 'access-log-hidden-until': hiddenUntil, 'access-log-hidden-reason': 'Investigation' };
    const headers = { ...asked.headers, ...(hiddenUntil === undefined ? {} : hiding) };
    const answer = await ask({ ...asked, headers } as typeof asked);
    assert.equal(parseJsonBody(answer)['decision'], 'no_match', String(answer.body));
  }
}

const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();

type Shown = { readonly state: string; readonly usage?: string; readonly explanation?: { readonly reason: string } };

/** The accesses by others in the access log, once the ledger has this number of them. */
async function usesOf(citizenId: string, count: number): Promise<Shown[]> {
  let uses: Shown[] = [];
  await waitUntil(async () => {
    const { usages } = await readAs(citizenId, '/v1/access-log');
    uses = (usages as Shown[]).filter(({ usage }) => usage !== 'access-log.read' && usage !== 'inbox.listed');
    return uses.length >= count;
  });
  return uses;
}

// Concurrent, because the first and the last test wait for the end of a concealment.
suite('concealed failures', { concurrency: 3 }, () => {
  test('concealed failures send the citizen no message until the concealment ends, and then one message', async () => {
    const [plain, hidden, soon] = home.readDemoFile().citizens.map(({ citizenId }) => citizenId);
    assert.ok(plain !== undefined && hidden !== undefined && soon !== undefined);
    // The verifications of all tests take some time on a slow machine.
    const instant = ahead(12_000);
    await failVerifications(soon, instant);
    await failVerifications(hidden, ahead(3_600_000));
    await failVerifications(plain);
    await waitUntil(async () => (await limitNoticesOf(plain)).length === 1);
    await waitUntil(async () => (await limitNoticesOf(soon)).length === 1);
    assert.deepEqual(
      (await limitNoticesOf(soon)).map(({ receivedAt }) => receivedAt),
      [instant],
    );
    assert.deepEqual(await limitNoticesOf(hidden), []);
  });

  test('the notice of the verification limit is delayed until the concealment ends, even for years', async () => {
    const citizenId = home.readDemoFile().citizens[3]?.citizenId ?? '';
    const instant = ahead(700 * 86_400_000);
    await failVerifications(citizenId, instant);
    using db = new DatabaseSync(join(home.dataDir, databaseFile), { readOnly: true });
    const rows = db
      .prepare('select send_at from notification where citizen_id = ? and send_at is not null')
      .all(citizenId);
    assert.deepEqual(
      rows.map((row) => Number(row['send_at'])),
      [Date.parse(instant)],
    );
  });

  test('no response or message reveals concealed failures before the concealment ends', async () => {
    const [, , , , now = '', later = ''] = home.readDemoFile().citizens.map(({ citizenId }) => citizenId);
    // As above.
    const instant = ahead(12_000);
    for (const [citizenId, hiddenUntil] of [
      [now, instant],
      [later, ahead(3_600_000)],
    ] as const) {
      // The last failure, and one at the limit, are not concealed.
      await failVerifications(citizenId, hiddenUntil, wrongNames.slice(0, 4));
      await failVerifications(citizenId, undefined, wrongNames.slice(4));
    }
    const shown = (await usesOf(later, 8)).filter(({ state, usage }) => state === 'shown' && usage !== undefined);
    const verified = shown.filter(({ usage }) => usage === 'identity.verified');
    assert.deepEqual(
      verified.map(({ explanation }) => explanation?.reason),
      ['claims-do-not-fit', undefined],
    );
    assert.deepEqual([...new Set(shown.map(({ usage }) => usage))], ['identity.verified']);
    assert.deepEqual(await limitNoticesOf(later), []);
    await waitUntil(async () => (await limitNoticesOf(now)).length === 1);
    assert.deepEqual(
      (await limitNoticesOf(now)).map(({ receivedAt }) => receivedAt),
      [instant],
    );
    const disclosed = await usesOf(now, 8);
    assert.ok(disclosed.some(({ usage }) => usage === 'identity.guesses-spent'));
    assert.ok(disclosed.some(({ explanation }) => explanation?.reason === 'guesses-spent'));
  });
});
