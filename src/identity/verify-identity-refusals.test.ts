import assert from 'node:assert/strict';
import test from 'node:test';
import { type Engine, engines } from '../../test/engines.ts';
import type { IdentityHouse } from '../../test/identity-house.ts';
import { openPeopledHouse, zoe } from '../../test/identity-people.ts';
import { RegisterUnavailable } from './register.ts';

const sqlite = engines[0] as Engine;

test('the three ways to ask give one answer and one request hash', async (t) => {
  const house = await openPeopledHouse(t, sqlite);
  const aliased = { citizen_id: 'C-1', given_name: 'Zoë', family_name: 'Müller', birthdate: '1980-02-07' };
  const answers = await Promise.all([
    house.ask('GET', zoe),
    house.ask('POST', zoe),
    house.ask('QUERY', zoe),
    house.ask('POST', aliased),
  ]);
  const hashes = answers.map((answer) =>
    'json' in answer ? [answer.json['decision'], answer.json['requestHash']] : answer,
  );
  assert.deepEqual(
    hashes,
    hashes.map(() => ['match', hashes[0]?.[1 as never]]),
  );
});

test('what cannot be decided is refused before the register is asked', async (t) => {
  const house = await openPeopledHouse(t, sqlite);
  const { birthDate, ...withoutDate } = zoe;
  const long = 'ä'.normalize('NFD').repeat(101);
  const slug = async (answer: ReturnType<IdentityHouse['ask']>) => {
    const answered = await answer;
    return 'refusal' in answered ? [answered.refusal.slug, answered.refusal.issues?.map(({ code }) => code)] : answered;
  };
  const eventsBefore = (await house.events()).length;
  assert.deepEqual(
    [
      await slug(house.ask('POST', withoutDate)),
      await slug(house.ask('GET', { citizenId: 'C-1', birthDate })),
      await slug(house.ask('POST', { givenName: 'Ana', familyName: 'Silva', birthDate })),
      await slug(house.ask('POST', { ...zoe, given_name: 'Zoë' })),
      await slug(house.ask('POST', { ...zoe, birthPlace: long })),
      await slug(house.ask('POST', { ...zoe, birthDate: '7.2.1980' })),
      await slug(house.ask('POST', { ...zoe, familyName: ' ' })),
      await slug(house.ask('GET', { ...zoe, family_name: 'Müller' })),
      await slug(house.ask('GET', zoe, {}, { refuseClaimsInUrl: true })),
      await slug(house.ask('POST', { ...zoe, purpose: 'tax' }, {}, { purposesOf: () => ['health'] })),
    ],
    [
      ['insufficient-claims', undefined],
      ['insufficient-claims', undefined],
      ['insufficient-claims', undefined],
      ['bad-request', ['duplicate']],
      ['bad-request', ['too-long']],
      ['bad-request', ['malformed']],
      ['bad-request', ['malformed']],
      ['bad-request', ['unknown-input']],
      ['claims-in-url-refused', undefined],
      ['purpose-not-permitted', undefined],
    ],
  );
  assert.equal((await house.events()).length, eventsBefore);
});

test('a register that cannot be asked leaves the question open, and costs no guess', async (t) => {
  const house = await openPeopledHouse(t, sqlite);
  const register = {
    ...house.ports.register,
    find: () => Promise.reject(new RegisterUnavailable('no answer within 2 s')),
  };
  const answer = await house.ask('POST', zoe, {}, { register });
  assert.equal('json' in answer && answer.json['decision'], 'not_determined');
  assert.deepEqual(
    (await house.events('C-1')).map(({ decision }) => decision),
    ['not_determined'],
  );
  assert.deepEqual(await house.db.read('select subject from guess_budget'), []);
});

test('two clients get two subjects for one citizen, and one client always the same', async (t) => {
  const house = await openPeopledHouse(t, sqlite);
  const subjectFor = async (client: string) => {
    const { token } = await house.verify(zoe, { client });
    return (await house.openToken(token)).payload['sub'];
  };
  const [one, again, other] = [await subjectFor('a'), await subjectFor('a'), await subjectFor('b')];
  assert.equal(one, again);
  assert.notEqual(one, other);
});
