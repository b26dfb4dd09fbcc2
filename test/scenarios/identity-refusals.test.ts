import assert from 'node:assert/strict';
import test from 'node:test';
import { RegisterUnavailable } from '../../src/identity/register/register.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import type { IdentityApp } from '../support/identity-app.ts';
import { openIdentityAppWithPeople, zoeClaims } from '../support/identity-people.ts';

const sqlite = engines[0] as Engine;

test('GET, POST and QUERY give the same result and request hash', async (t) => {
  const app = await openIdentityAppWithPeople(t, sqlite);
  const aliased = { citizen_id: 'C-1', given_name: 'Zoë', family_name: 'Müller', birthdate: '1980-02-07' };
  const answers = await Promise.all([
    app.ask('GET', zoeClaims),
    app.ask('POST', zoeClaims),
    app.ask('QUERY', zoeClaims),
    app.ask('POST', aliased),
  ]);
  const hashes = answers.map((answer) =>
    'json' in answer ? [answer.json['decision'], answer.json['requestHash']] : answer,
  );
  assert.deepEqual(
    hashes,
    hashes.map(() => ['match', hashes[0]?.[1 as never]]),
  );
});

test('invalid requests are refused before the register is read', async (t) => {
  const app = await openIdentityAppWithPeople(t, sqlite);
  const { birthDate, ...withoutDate } = zoeClaims;
  const long = 'ä'.normalize('NFD').repeat(101);
  const slug = async (answer: ReturnType<IdentityApp['ask']>) => {
    const answered = await answer;
    return 'refusal' in answered ? [answered.refusal.slug, answered.refusal.issues?.map(({ code }) => code)] : answered;
  };
  const eventsBefore = (await app.events()).length;
  assert.deepEqual(
    [
      await slug(app.ask('POST', withoutDate)),
      await slug(app.ask('GET', { citizenId: 'C-1', birthDate })),
      await slug(app.ask('POST', { givenName: 'Ana', familyName: 'Silva', birthDate })),
      await slug(app.ask('POST', { ...zoeClaims, given_name: 'Zoë' })),
      await slug(app.ask('POST', { ...zoeClaims, birthPlace: long })),
      await slug(app.ask('POST', { ...zoeClaims, birthDate: '7.2.1980' })),
      await slug(app.ask('POST', { ...zoeClaims, familyName: ' ' })),
      await slug(app.ask('GET', { ...zoeClaims, family_name: 'Müller' })),
      await slug(app.ask('GET', zoeClaims, {}, { refuseClaimsInUrl: true })),
      await slug(app.ask('POST', { ...zoeClaims, purpose: 'tax' }, {}, { purposesOf: () => ['health'] })),
    ],
    [
      ['insufficient-claims', ['required']],
      ['insufficient-claims', ['required']],
      ['insufficient-claims', ['required']],
      ['bad-request', ['repeated']],
      ['bad-request', ['too-long']],
      ['bad-request', ['malformed']],
      ['bad-request', ['malformed']],
      ['bad-request', ['unknown-input']],
      ['claims-in-url-refused', undefined],
      ['purpose-not-permitted', undefined],
    ],
  );
  assert.equal((await app.events()).length, eventsBefore);
});

test('a verification with too few claims is refused with the claims that each minimum set of the policy misses', async (t) => {
  const app = await openIdentityAppWithPeople(t, sqlite);
  const answered = await app.ask('POST', { citizenId: 'C-1', givenName: 'Zoë' });
  assert.ok('refusal' in answered);
  const { slug, detail, issues } = answered.refusal;
  assert.equal(slug, 'insufficient-claims');
  assert.deepEqual(issues, [
    {
      in: 'body',
      pointer: '/birthDate',
      code: 'required',
      detail: 'required: birthDate with month and day',
    },
  ]);
  assert.match(detail, /^Add birthDate with month and day; or documentNumber, and streetAddress or postalCode; or /);
});

test('a verification without a register is not determined, and does not count as a failure', async (t) => {
  const app = await openIdentityAppWithPeople(t, sqlite);
  const register = {
    ...app.ports.register,
    find: () => Promise.reject(new RegisterUnavailable('no answer within 2 s')),
  };
  const answer = await app.ask('POST', zoeClaims, {}, { register });
  assert.equal('json' in answer && answer.json['decision'], 'not_determined');
  assert.deepEqual(
    (await app.events('C-1')).map(({ decision }) => decision),
    ['not_determined'],
  );
  assert.deepEqual(await app.db.read('select verification_key from verification_limit'), []);
});

test('two clients get different subjects for one citizen, and one client always gets the same', async (t) => {
  const app = await openIdentityAppWithPeople(t, sqlite);
  const subjectFor = async (client: string) => {
    const { token } = await app.verify(zoeClaims, { client });
    return (await app.openToken(token)).payload['sub'];
  };
  const [one, again, other] = [await subjectFor('a'), await subjectFor('a'), await subjectFor('b')];
  assert.equal(one, again);
  assert.notEqual(one, other);
});
