import assert from 'node:assert/strict';
import test from 'node:test';
import { engines } from '../support/database-engines.ts';
import { identityAppStartMs, verifyDecisionOf } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

// The claims are verified on 1 March 2026, at 9:30 UTC.
const dayMs = 86_400_000;
const person = { citizenId: 'C-1', givenName: 'Ada', familyName: 'Berg', documentNumber: 'P1', postalCode: '10115' };
const claims = { citizenId: 'C-1', familyName: 'Berg', documentNumber: 'P1', postalCode: '10115' };

/** Values that differ for each person, so that nobody else fits the claims as well. */
function ownValues(at: number) {
  const familyName = ['Berg', 'Dahl', 'Okafor', 'Silva'][at] ?? '';
  return { citizenId: `C-${at}`, familyName, documentNumber: `P${at}${at}${at}${at}`, postalCode: `1${at}1${at}5` };
}

const impossible: readonly (readonly [birthDate: string, code: string])[] = [
  ['1967-02-30', 'malformed'],
  ['1967-02-29', 'malformed'],
  ['1967-13-01', 'malformed'],
  ['1967-13', 'malformed'],
  ['1967-04-31', 'malformed'],
  ['1967-00-07', 'malformed'],
  ['0000', 'malformed'],
  ['2026-03-03', 'out-of-range'],
  ['2026-04', 'out-of-range'],
  ['2027', 'out-of-range'],
];
const possible = [
  '1968-02-29',
  '2026-03-01',
  '2026-03-02',
  '2026-03',
  '2026',
  '1967-02',
  '1967-02-00',
  '1967-00-00',
  '1967',
];

for (const engine of engines) {
  test(`${engine.name}: an impossible birth date is reported as an issue of its member, and does not count as a failure`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [{ ...person, birthDate: '1967-02-03' }]);
    for (const [birthDate, code] of impossible) {
      for (const [method, place] of [
        ['POST', { in: 'body', pointer: '/birthDate' }],
        ['QUERY', { in: 'body', pointer: '/birthDate' }],
        ['GET', { in: 'query', name: 'birthDate' }],
      ] as const) {
        const answered = await app.ask(method, { ...claims, birthDate });
        assert.ok('refusal' in answered, birthDate);
        const { slug, issues = [] } = answered.refusal;
        assert.equal(slug, 'bad-request');
        const [{ detail, ...issue } = { detail: '' }, ...others] = issues;
        assert.deepEqual([issue, others], [{ ...place, code }, []], birthDate);
        assert.doesNotMatch(detail, /\d\d/);
      }
    }
    assert.deepEqual(await app.db.read('select verification_key from verification_limit'), []);
    assert.deepEqual(await app.events('C-1'), []);
    assert.equal(await verifyDecisionOf(app, { ...claims, birthDate: '1967-02-03' }), 'match');
  });

  test(`${engine.name}: a calendar date is compared if it is not after today in any time zone, as a whole or in part`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [{ ...person, birthDate: '1967-02-03' }]);
    app.pass(dayMs / 2);
    assert.equal(new Date(identityAppStartMs + dayMs / 2).getUTCHours(), 21);
    for (const birthDate of possible) {
      const answered = await app.ask('POST', { ...claims, birthDate });
      assert.ok('json' in answered, birthDate);
    }
  });

  test(`${engine.name}: a registered date that does not exist keeps its month or year, and its owner is verified`, async (t) => {
    const dates = [
      ['1967-02-30', '1967-02', 1],
      ['1967-13-01', '1967', 1],
      ['1967-02-03', '1967-02-03', 0],
      ['0000-00-00', null, 0],
    ] as const;
    const app = await openIdentityAppWith(
      t,
      engine,
      dates.map(([birthDate], at) => ({ ...person, ...ownValues(at), birthDate })),
    );
    const rows = await app.db.read('select birth_date from citizen order by citizen_id');
    assert.deepEqual(
      rows.map((row) => row['birth_date']),
      dates.map(([, stored]) => stored),
    );
    for (const [at, birthDate] of [
      [0, '1967-02'],
      [0, '1967'],
      [1, '1967'],
      [2, '1967-02'],
      [3, '1967-02'],
    ] as const)
      assert.equal(await verifyDecisionOf(app, { ...claims, ...ownValues(at), birthDate }), 'match', birthDate);
    assert.equal(await verifyDecisionOf(app, { ...claims, ...ownValues(0), birthDate: '1967-03' }), 'no_match');
  });
}
