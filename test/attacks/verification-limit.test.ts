import assert from 'node:assert/strict';
import test from 'node:test';
import { standardPolicy2 } from '../../src/identity/match/policy.ts';
import { RegisterUnavailable } from '../../src/identity/register/register.ts';
import { engines } from '../support/database-engines.ts';
import { buildIdentityApp, type IdentityApp } from '../support/identity-app.ts';
import { openIdentityAppWithPeople, zoeClaims } from '../support/identity-people.ts';

/** The attacker knows the id, names and year of birth of Zoë Müller, but not the day, 7 February. */
const known = { citizenId: 'C-1', givenName: 'Zoë', familyName: 'Müller' };
const clients = ['tax-office', 'library', 'parking'];

function datesOf1980(): string[] {
  return Array.from({ length: 366 }, (_, day) => new Date(Date.UTC(1980, 0, 1 + day)).toISOString().slice(0, 10));
}

async function decisionOf(app: IdentityApp, claims: object, client: string): Promise<unknown> {
  const answered = await app.ask('POST', claims, { client }, { policyOf: () => standardPolicy2 });
  return 'json' in answered ? answered.json['decision'] : answered.refusal.slug;
}

for (const engine of engines) {
  test(`${engine.name}: trying all dates of a year with three clients reveals nothing, and the citizen is notified`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const decisions = new Set<unknown>();
    for (const [at, birthDate] of datesOf1980().slice(0, 60).entries()) {
      decisions.add(await decisionOf(app, { ...known, birthDate }, clients[at % clients.length] ?? ''));
    }
    assert.deepEqual([...decisions], ['no_match']);
    const notices = (await app.events('C-1')).map(({ type }) => type).filter((type) => type !== 'identity.verified');
    assert.deepEqual(notices, ['identity.guesses-spent', 'notification.accepted']);
  });

  test(`${engine.name}: a correct year or month alone matches no more than a wrong one, so that a date cannot be found in parts`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    for (const birthDate of ['1980-02', '1981'])
      assert.equal(await decisionOf(app, { ...known, birthDate }, 'tax-office'), 'no_match');
    const [row] = await app.db.read('select failures from verification_limit');
    assert.equal((JSON.parse(String(row?.['failures'])) as unknown[]).length, 2);
    // Values that the register lacks do not replace the rest of the date.
    const padded = { ...known, streetAddress: '1 High Street', postalCode: '1000', birthDate: '1980' };
    assert.equal(await decisionOf(app, { ...padded, documentNumber: 'P9' }, 'tax-office'), 'no_match');
    assert.equal(await decisionOf(app, { ...padded, documentNumber: 'P1' }, 'tax-office'), 'no_match');
    // The limit is not reached yet.
    assert.equal(await decisionOf(app, { ...known, birthDate: '1980-02-07' }, 'tax-office'), 'match');
  });

  test(`${engine.name}: sixty concurrent failed verifications in two processes all count`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const other = await buildIdentityApp(app.db);
    const dates = datesOf1980().slice(0, 60);
    const decisions = await Promise.all(
      dates.map((birthDate, at) =>
        decisionOf(at % 2 === 0 ? app : other, { ...known, birthDate }, clients[at % clients.length] ?? ''),
      ),
    );
    assert.deepEqual([...new Set(decisions)], ['no_match']);
    const [row] = await app.db.read('select failures from verification_limit');
    assert.equal((JSON.parse(String(row?.['failures'])) as unknown[]).length, 5);
  });

  test(`${engine.name}: an unknown id is counted and answered like a known one`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    for (const day of ['01', '02', '03', '04', '05', '06']) {
      for (const citizenId of ['C-2', 'C-9']) {
        await app.verify({ ...known, citizenId, birthDate: `1981-01-${day}` });
      }
    }
    const rows = await app.db.read('select failures from verification_limit');
    assert.deepEqual(
      rows.map((row) => (JSON.parse(String(row['failures'])) as unknown[]).length),
      [5, 5],
    );
    const kinds = async (citizenId: string) => (await app.events(citizenId)).map(({ type }) => type);
    assert.deepEqual(await kinds('C-2'), await kinds('C-9'));
  });

  test(`${engine.name}: correct verifications do not count as failures, and repeated wrong claims count once`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    assert.equal(await decisionOf(app, zoeClaims, 'tax-office'), 'match');
    assert.deepEqual(await app.db.read('select verification_key from verification_limit'), []);
    for (let time = 0; time < 12; time += 1) {
      assert.equal(await decisionOf(app, zoeClaims, 'tax-office'), 'match');
      assert.equal(await decisionOf(app, { ...zoeClaims, birthDate: '1980-03-01' }, 'tax-office'), 'no_match');
      assert.equal(await decisionOf(app, { ...zoeClaims, givenName: 'Ana' }, 'library'), 'no_match');
    }
    assert.equal(await decisionOf(app, zoeClaims, 'parking'), 'match');
  });

  test(`${engine.name}: five failures reach the limit for a day, and ten for thirty days, exact to the millisecond`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const dayMs = 86_400_000;
    const dates = datesOf1980();
    const failFiveTimes = async () => {
      for (const birthDate of dates.splice(-5)) await decisionOf(app, { ...known, birthDate }, 'tax-office');
    };
    const right = async () => await decisionOf(app, zoeClaims, 'tax-office');
    const openIn = async (ms: number) => {
      app.pass(ms - 1);
      assert.equal(await right(), 'no_match');
      app.pass(1);
      assert.equal(await right(), 'match');
    };
    await failFiveTimes();
    await openIn(dayMs);
    await failFiveTimes();
    await openIn(29 * dayMs);
  });

  test(`${engine.name}: failures counted with a clock a year ahead do not limit after its correction, and later failures are notified`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const yearMs = 365 * 86_400_000;
    const dates = datesOf1980();
    const failFiveTimes = async () => {
      for (const birthDate of dates.splice(-5)) await decisionOf(app, { ...known, birthDate }, 'tax-office');
    };
    app.pass(yearMs);
    await failFiveTimes();
    assert.equal(await decisionOf(app, zoeClaims, 'tax-office'), 'no_match');
    app.pass(-yearMs);
    assert.equal(await decisionOf(app, zoeClaims, 'tax-office'), 'match');
    await failFiveTimes();
    assert.equal(await decisionOf(app, zoeClaims, 'tax-office'), 'no_match');
    const notices = (await app.events(zoeClaims.citizenId)).filter(({ type }) => type === 'notification.accepted');
    assert.equal(notices.length, 2);
  });

  test(`${engine.name}: a clock that jumps ahead and back does not reset the failures of either time`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const yearMs = 365 * 86_400_000;
    const dates = datesOf1980();
    const failFiveTimes = async () => {
      for (const birthDate of dates.splice(-5)) await decisionOf(app, { ...known, birthDate }, 'tax-office');
    };
    const right = () => decisionOf(app, zoeClaims, 'tax-office');
    for (let days = 0; days < 2; days += 1) {
      await failFiveTimes();
      assert.equal(await right(), 'no_match');
      app.pass(86_400_000);
    }
    app.pass(yearMs);
    for (let days = 0; days < 2; days += 1) {
      await failFiveTimes();
      assert.equal(await right(), 'no_match');
      app.pass(86_400_000);
    }
    app.pass(-yearMs);
    assert.equal(await right(), 'no_match', 'the ten failures of this month count');
    app.pass(40 * 86_400_000);
    assert.equal(await right(), 'match');
    // The stored state stays small.
    for (let months = 0; months < 3; months += 1) {
      await failFiveTimes();
      app.pass(31 * 86_400_000);
    }
    const rows = await app.db.read('select failures from verification_limit');
    assert.deepEqual(
      rows.map((row) => (JSON.parse(String(row['failures'])) as unknown[]).length),
      [20],
    );
  });

  test(`${engine.name}: a house number that is split differently counts as another failure, and another spelling of the street does not`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const counted = async (streetAddress: string) => {
      const jon = { citizenId: 'T-1', givenName: 'Jon', familyName: 'Twin', birthDate: '2000-01-01' };
      await decisionOf(app, { ...jon, streetAddress }, 'tax-office');
      const [row] = await app.db.read('select failures from verification_limit');
      return (JSON.parse(String(row?.['failures'])) as unknown[]).length;
    };
    const streets = ['12 3 Low Street', 'Low St 12 3', '1 23 Low Street', '123 Low Street', '123 low street'];
    const counts: number[] = [];
    for (const street of streets) counts.push(await counted(street));
    assert.deepEqual(counts, [1, 1, 2, 3, 3]);
  });

  test(`${engine.name}: a notice that could not be created is sent once, with a later failure`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const failOnce = async (at: number, over: Parameters<IdentityApp['ask']>[3] = {}) => {
      const answered = await app.ask('POST', { ...known, birthDate: `1980-03-1${at}` }, {}, over);
      return 'json' in answered ? answered.json['decision'] : answered.refusal.slug;
    };
    const notices = async () =>
      (await app.events('C-1')).map(({ type }) => type).filter((type) => type !== 'identity.verified');
    for (let at = 0; at < 4; at += 1) assert.equal(await failOnce(at), 'no_match');
    const unavailable = async () => {
      throw new RegisterUnavailable('the register could not be asked');
    };
    assert.equal(await failOnce(4, { limitReachedNotice: unavailable }), 'no_match');
    assert.deepEqual(await notices(), []);
    app.pass(61_000);
    const broken = async () => {
      throw new Error('broken');
    };
    await assert.rejects(failOnce(5, { limitReachedNotice: broken }), /broken/);
    app.pass(61_000);
    // One of two concurrent failures notifies.
    assert.deepEqual(await Promise.all([failOnce(6), failOnce(7)]), ['no_match', 'no_match']);
    assert.deepEqual(await notices(), ['identity.guesses-spent', 'notification.accepted']);
    app.pass(61_000);
    await failOnce(8);
    assert.equal((await notices()).length, 2);
    // Failures of the next day are notified again.
    app.pass(86_400_000);
    for (let at = 0; at < 6; at += 1) await failOnce(at, { policyOf: () => standardPolicy2 });
    for (let at = 0; at < 6; at += 1)
      await app.ask('POST', { ...known, birthDate: `1981-03-1${at}` }, {}, { policyOf: () => standardPolicy2 });
    assert.equal((await notices()).length, 4);
  });

  test(`${engine.name}: the number of searches with constant names and address is limited`, async (t) => {
    const app = await openIdentityAppWithPeople(t, engine);
    const ana = { givenName: 'Ana', familyName: 'Silva', postalCode: '1000-001' };
    const decisions = [];
    for (const day of ['20', '21', '22', '23', '24', '30']) {
      decisions.push(await decisionOf(app, { ...ana, birthDate: `1990-11-${day}` }, 'tax-office'));
    }
    assert.deepEqual([...new Set(decisions)], ['no_match']);
  });
}
