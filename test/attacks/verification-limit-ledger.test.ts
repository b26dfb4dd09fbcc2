import assert from 'node:assert/strict';
import test from 'node:test';
import { calibratedPolicy, standardPolicy2 } from '../../src/identity/match/policy.ts';
import { citizenVerificationKey } from '../../src/identity/verification-limit/verification-keys.ts';
import { engines } from '../support/database-engines.ts';
import { type IdentityApp, identityAppStartMs } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

const born = { birthDate: '1980-03-07', postalCode: '10115' };
const people = [
  { citizenId: 'C-1', givenName: 'Anna', familyName: 'Berg', ...born },
  { citizenId: `civil-register-of-the-capital/${'0'.repeat(20)}-77`, givenName: 'Ole', familyName: 'Dahl', ...born },
  { citizenId: 'T-1', givenName: 'Jon', familyName: 'Twin', ...born },
  { citizenId: 'T-2', givenName: 'Jon', familyName: 'Twin', ...born },
  { citizenId: 'Z-1', givenName: 'Ana', familyName: 'Zorn', ...born },
  { citizenId: 'Z-2', givenName: 'Ana', familyName: 'Zorn', ...born },
  { citizenId: 'Z-3', givenName: 'Ana', familyName: 'Zorn', ...born },
];
const named = (givenName: string, familyName: string) => ({ givenName, familyName, ...born });

/** The public properties of the ledger entries of these verifications. */
async function seenOf(app: IdentityApp, questions: readonly object[]): Promise<string[]> {
  const before = (await app.seen()).length;
  for (const claims of questions) await app.ask('POST', claims, {}, { policyOf: () => standardPolicy2 });
  return (await app.seen()).slice(before);
}

for (const engine of engines) {
  test(`${engine.name}: a search that finds one person, two or none writes the same ledger entries`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const wrong = (given: string, family: string) => ({ ...named(given, family), postalCode: '9' });
    const found = [
      await seenOf(app, [wrong('Eva', 'Nil')]),
      await seenOf(app, [wrong('Anna', 'Berg')]),
      await seenOf(app, [wrong('Ole', 'Dahl')]),
      await seenOf(app, [wrong('Jon', 'Twin')]),
    ];
    assert.deepEqual(new Set(found.map((entries) => entries.join())).size, 1, JSON.stringify(found));
    assert.deepEqual(
      found[0]?.map((entry) => entry.split(' ')[0]),
      ['system', 'citizen', 'citizen'],
    );
    assert.equal((await seenOf(app, [named('Ana', 'Zorn')])).length, 4);
  });

  test(`${engine.name}: a limit that is reached by searches writes the same ledger entries for a known and an unknown person`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const attempts = (given: string, family: string) =>
      ['1', '2', '3', '4', '5', '6'].map((postalCode) => ({ ...named(given, family), postalCode }));
    const known = await seenOf(app, attempts('Anna', 'Berg'));
    assert.deepEqual(await seenOf(app, attempts('Eva', 'Nil')), known);
    assert.equal(known.length, 6 * 3 + 2);
  });

  test(`${engine.name}: the time of the limit notice does not reveal whether a search concerns a person`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const wrong = (given: string, family: string, at: number) => ({ ...named(given, family), postalCode: `8${at}` });
    // Four about an unknown member of the family, and one about a registered person.
    const known = await seenOf(app, [...[0, 1, 2, 3].map((at) => wrong('Eva', 'Berg', at)), wrong('Anna', 'Berg', 4)]);
    const unknown = await seenOf(app, [...[5, 6, 7, 8].map((at) => wrong('Eva', 'Nil', at)), wrong('Anna', 'Nil', 9)]);
    assert.deepEqual(known, unknown);
  });

  test(`${engine.name}: the length of a limit notice does not reveal whether failures are concealed`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const spend = async (citizenId: string, hiddenUntil: number | undefined) => {
      const subject = citizenVerificationKey(app.ports.rootKey.derive('guess-budget'), citizenId);
      for (const tag of ['1', '2', '3', '4']) {
        const counting = { keys: [subject], tag, notifyKey: subject, isFailed: true, hiddenUntil };
        await app.ports.verificationLimiter.count(
          counting,
          await app.ports.verificationLimiter.readSnapshot([subject], identityAppStartMs),
        );
      }
      return await seenOf(app, [{ ...named('Eva', 'Nil'), citizenId }]);
    };
    const open = await spend('T-1', undefined);
    assert.equal(open.length, 3);
    assert.deepEqual(await spend('T-2', identityAppStartMs + 3_600_000), open);
  });

  test(`${engine.name}: at the limit a correct and a wrong search write the same ledger entries`, async (t) => {
    const after = async (last: string) => {
      const app = await openIdentityAppWith(t, engine, people);
      // Unregistered names reach the limit of the family name and date.
      const spent = ['1', '2', '3', '4', '5'].map((postalCode) => ({ ...named('Eva', 'Berg'), postalCode }));
      await seenOf(app, spent);
      const tried = ['6', '7', '8', '9', last].map((postalCode) => ({ ...named('Anna', 'Berg'), postalCode }));
      return await seenOf(app, tried);
    };
    assert.deepEqual(await after(born.postalCode), await after('10'));
  });

  test(`${engine.name}: reading the result of a search does not reveal whether it was about a person`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const readAgain = async (claims: object) => {
      const { verificationId } = await app.verify(claims);
      const before = (await app.seen()).length;
      await app.ask('GET', String(verificationId));
      return (await app.seen()).slice(before);
    };
    const known = await readAgain({ ...named('Anna', 'Berg'), postalCode: '9' });
    assert.deepEqual(await readAgain({ ...named('Eva', 'Nil'), postalCode: '9' }), known);
    assert.deepEqual(
      known.map((entry) => entry.split(' ')[0]),
      ['system', 'citizen'],
    );
    assert.deepEqual(
      (await app.events('C-1')).map(({ type }) => type),
      ['identity.verified', 'identity.verification-read'],
    );
  });

  test(`${engine.name}: the client of a search gets the receipt of its first entry only`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    await seenOf(
      app,
      ['1', '2', '3', '4', '5'].map((postalCode) => ({ ...named('Anna', 'Berg'), postalCode })),
    );
    const { verificationId } = await app.verify({ ...named('Anna', 'Berg'), postalCode: '1' });
    await app.ask('GET', String(verificationId));
    const rows = await app.db.read("select distinct type from ledger_event where client_id = 'tax-office'");
    assert.deepEqual(rows.map(({ type }) => type).sort(), ['identity.search-read', 'identity.searched']);
    const [event] = await app.events('C-1');
    assert.deepEqual([event?.['actor'], event?.['receipt']], [{ client: 'tax-office' }, undefined]);
  });

  test(`${engine.name}: a decoy entry is in the access log of no citizen`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    await seenOf(app, [named('Eva', 'Nil'), named('Anna', 'Berg')]);
    const rows = await app.db.read('select citizen_id from ledger_event where citizen_id is not null order by id');
    const owners = rows.map((row) => String(row['citizen_id']).replace(/ver_\w+/, 'ver'));
    assert.deepEqual(owners, ['nobody:ver:1', 'nobody:ver:2', 'C-1', 'nobody:ver:1']);
    const keys = await app.db.read("select citizen_id from citizen_key where citizen_id like 'nobody:%'");
    assert.deepEqual(keys, []);
  });

  test(`${engine.name}: a match by a similar, exchanged or former name is in the access log of the citizen`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [
      { citizenId: 'C-1', givenName: 'Anna', familyName: 'Berg', ...born, documentNumber: 'P1' },
      {
        citizenId: 'C-2',
        givenName: 'Ida',
        familyName: 'Lund',
        birthDate: '1970-01-02',
        documentNumber: 'P2',
        formerNames: '[{"familyName":"Holm","until":"2025-06-01"}]',
      },
    ]);
    const ida = { givenName: 'Ida', familyName: 'Holm', birthDate: '1970-01-02', documentNumber: 'P2' };
    for (const [citizenId, claims] of [
      ['C-1', { ...named('Berg', 'Anna'), documentNumber: 'P1' }],
      ['C-1', { ...named('Annna', 'Berg'), documentNumber: 'P1' }],
      ['C-2', ida],
    ] as const) {
      const before = (await app.events(citizenId)).length;
      const answered = await app.ask('POST', claims, {}, { policyOf: () => standardPolicy2 });
      assert.equal('json' in answered && answered.json['decision'], 'match', JSON.stringify(claims));
      const entries = (await app.events(citizenId)).slice(before);
      assert.deepEqual(
        entries.map(({ type, decision }) => [type, decision]),
        [['identity.verified', 'match']],
      );
    }
  });

  test(`${engine.name}: a result that is ambiguous because of a competing candidate is in the access log of that candidate`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [
      { citizenId: 'C-1', givenName: 'Mark', familyName: 'Berg', ...born },
      { citizenId: 'C-2', givenName: 'Marc', familyName: 'Berg', ...born },
    ]);
    const claims = named('Mark', 'Bergg');
    const answered = await app.ask('POST', claims, {}, { policyOf: () => calibratedPolicy });
    assert.equal('json' in answered && answered.json['decision'], 'not_determined');
    for (const citizenId of ['C-1', 'C-2']) assert.equal((await app.events(citizenId)).length, 1, citizenId);
  });
}
