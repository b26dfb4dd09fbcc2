import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { type IdentityApp, identityAppStartMs } from '../../test/support/identity-app.ts';
import { openIdentityAppWithPeople, zoeClaims } from '../../test/support/identity-people.ts';
import { addClientUse, deleteOldClientUse, useDayOf } from '../auth/client-use-store.ts';
import { usageCommands } from './client-usage.ts';
import { runCommandLine } from './command.ts';

const dayMs = 86_400_000;

function openLine(app: IdentityApp, hasOwnRegister = true) {
  const { read, clock, citizenKeys } = app.importDeps;
  return async (...args: string[]) => {
    const said = { code: 0, stdout: '', stderr: '' };
    const stdout = (text: string) => {
      said.stdout += text;
    };
    const stderr = (text: string) => {
      said.stderr += text;
    };
    const terminal = { stdout, stderr, isInteractive: false, cwd: '/' };
    const commands = usageCommands((use) => use({ read, clock, citizenKeys, hasOwnRegister }), terminal);
    said.code = await runCommandLine(['clients', 'usage', ...args], commands, terminal);
    return said;
  };
}

/** One client verifies its customers; another guesses ids and dates. */
async function ask(app: IdentityApp): Promise<void> {
  const review = { citizenId: 'R-1', givenName: 'Rita', familyName: 'Review', birthDate: '1970-01-01' };
  for (const claims of [zoeClaims, zoeClaims, { ...zoeClaims, birthDate: '1981-02-07' }, review])
    await app.verify(claims, { client: 'tax-office' });
  await app.verify(
    { givenName: 'Ana', familyName: 'Silva', birthDate: '1990-11-30', postalCode: '1000-001' },
    { client: 'tax-office' },
  );
  for (let id = 100; id < 203; id += 1) await app.verify({ ...zoeClaims, citizenId: `X-${id}` }, { client: 'fisher' });
  await app.verify(
    { givenName: 'Nobody', familyName: 'Known', birthDate: '1990-11-30', postalCode: '9' },
    { client: 'fisher' },
  );
}

const fisher = { clientId: 'fisher', questions: 104, erased: 0, searches: 1, unknownIds: 103 };
const office = { clientId: 'tax-office', questions: 5, erased: 0, searches: 1, unknownIds: 0 };
const none = { matchPercent: 0, noMatchPercent: 0, notDeterminedPercent: 0, name: null };

for (const engine of engines) {
  test(`${engine.name}: --operations adds up the requests of the period by client, operation and outcome`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const day = useDayOf(identityAppStartMs);
    const use = { clientId: 'tax-office', operation: 'verifyIdentity', outcome: 'match' };
    const rows = [
      { ...use, day, requests: 2 },
      { ...use, day, requests: 1 },
      { ...use, day: day - 6, requests: 4 },
      { ...use, day: day - 7, requests: 8 },
      { ...use, day, outcome: 'quota-exceeded', requests: 5 },
      { ...use, day, clientId: 'fisher', requests: 9 },
    ];
    for (const row of rows) await app.db.write([addClientUse(row)]);
    const { stdout } = await openLine(app)('--operations', '--json');
    assert.deepEqual(JSON.parse(stdout), [
      { ...use, clientId: 'fisher', requests: 9 },
      { ...use, requests: 7 },
      { ...use, outcome: 'quota-exceeded', requests: 5 },
    ]);
    await app.db.write([deleteOldClientUse(identityAppStartMs + 84 * dayMs)]);
    const year = await openLine(app)(
      '--operations',
      '--from',
      new Date(identityAppStartMs - 90 * dayMs).toISOString().slice(0, 10),
    );
    assert.equal(
      year.stdout,
      'clientId\toperation\toutcome\trequests\nfisher\tverifyIdentity\tmatch\t9\ntax-office\tverifyIdentity\tmatch\t7\ntax-office\tverifyIdentity\tquota-exceeded\t5\n',
    );
  });

  test(`${engine.name}: a client that tries unknown ids is listed first, with the number of these ids`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    await ask(app);
    const run = openLine(app);
    const { code, stdout } = await run('--json');
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), [
      { ...fisher, ...none, noMatchPercent: 100 },
      { ...office, ...none, matchPercent: 60, noMatchPercent: 20, notDeterminedPercent: 20 },
    ]);
    const table = await run();
    assert.deepEqual(table.stdout.split('\n').slice(1), [
      'fisher\t104\t0\t100\t0\t103\t1\t0\t-',
      'tax-office\t5\t60\t20\t20\t0\t1\t0\t-',
      '',
    ]);
    assert.equal(table.stderr, '2 clients, 2026-02-23 to 2026-03-01\n');
  });

  test(`${engine.name}: only verifications on the requested whole days count, and an invalid span is refused`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    await app.verify(zoeClaims, { client: 'first' });
    // The last millisecond of that day, and then the first of the next.
    app.pass(dayMs - (identityAppStartMs % dayMs) - 1);
    await app.verify(zoeClaims, { client: 'second' });
    app.pass(1);
    await app.verify(zoeClaims, { client: 'third' });
    const run = openLine(app);
    const clientsOf = async (...args: string[]) => {
      const { stdout } = await run(...args, '--json');
      return (JSON.parse(stdout) as { clientId: string }[]).map(({ clientId }) => clientId);
    };
    assert.deepEqual(await clientsOf(), ['first', 'second', 'third']);
    assert.deepEqual(await clientsOf('--until', '2026-03-01'), ['first', 'second']);
    assert.deepEqual(await clientsOf('--from', '2026-03-02'), ['third']);
    assert.deepEqual(await clientsOf('--from', '2026-03-01', '--until', '2026-03-01'), ['first', 'second']);
    assert.deepEqual(await clientsOf('--until', '2026-02-28'), []);
    for (const args of [
      ['--from', '2026-02-30'],
      ['--until', 'today'],
      ['--from', '2026-03-03'],
      ['--from', '2025-01-01'],
    ])
      assert.equal((await run(...args)).code, 2, args.join(' '));
  });

  test(`${engine.name}: the output has no claims or citizen ids, and results of erased citizens are only counted as erased`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    await ask(app);
    const { citizenKeys } = app.importDeps;
    await app.db.write(citizenKeys.destructionStatements(zoeClaims.citizenId));
    citizenKeys.evict(zoeClaims.citizenId);
    const { stdout } = await openLine(app, false)('--json');
    assert.deepEqual(JSON.parse(stdout)[1], {
      ...office,
      ...none,
      unknownIds: null,
      erased: 3,
      matchPercent: 50,
      notDeterminedPercent: 50,
    });
    for (const value of ['C-1', 'X-100', 'Zoë', 'Müller', 'Silva', '1980']) assert.equal(stdout.includes(value), false);
  });
}
