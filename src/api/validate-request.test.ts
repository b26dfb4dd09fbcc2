import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TObject, Type } from 'typebox';
import { instantPattern, instantRequirement } from '../kernel/clock.ts';
import { compilePartCheck, isSimilarName, parseQuery } from './validate-request.ts';

const schema = Type.Object(
  {
    citizenId: Type.String({ minLength: 1, maxLength: 5 }),
    message: Type.String({ minLength: 1 }),
    category: Type.Optional(Type.Union([Type.Literal('urgent'), Type.Literal('reminder')])),
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { additionalProperties: false },
);
const check = compilePartCheck('body', schema);

test('all faults of a body are reported together with pointer and code, without values', () => {
  const issues = check({ citizenID: 'Eleni', message: '', category: 'Eleni', limit: 0 });
  assert.deepEqual(issues.map(({ pointer, code }) => [pointer, code]).sort(), [
    ['/category', 'not-allowed'],
    ['/citizenID', 'unknown-input'],
    ['/citizenId', 'required'],
    ['/limit', 'out-of-range'],
    ['/message', 'too-short'],
  ]);
  assert.ok(!JSON.stringify(issues).includes('Eleni'));
  assert.ok(JSON.stringify(issues).includes("did you mean 'citizenId'?"));
});

test('an unknown name in a nested list or object is reported with the allowed names', () => {
  const channel = Type.Union([Type.Literal('email'), Type.Literal('sms')]);
  const deep = compilePartCheck(
    'body',
    Type.Object({ channels: Type.Array(channel), hours: Type.Object({ lists: Type.Array(Type.Array(channel)) }) }),
  );
  assert.deepEqual(
    deep({ channels: ['sms', 'fax'], hours: { lists: [['email'], ['sms', 'fax']] } }),
    ['/channels/1', '/hours/lists/1/1'].map((pointer) => {
      return { in: 'body', pointer, code: 'not-allowed', detail: 'must be one of email, sms' };
    }),
  );
});

test('an offset whose + was decoded as a space has a hint in a query, and none in a body', () => {
  const from = Type.Object({ createdFrom: Type.String({ pattern: instantPattern }) });
  const asked = parseQuery('createdFrom=2026-01-01T00:00:00+01:00', from).values;
  const [inQuery] = compilePartCheck('query', from)(asked);
  assert.deepEqual(
    [inQuery?.name, inQuery?.code, inQuery?.detail],
    ['createdFrom', 'malformed', `${instantRequirement}; a + in a query means a space: write it as %2B`],
  );
  assert.equal(compilePartCheck('body', from)(asked)[0]?.detail, instantRequirement);
  assert.equal(compilePartCheck('query', from)({ createdFrom: '2026-01-01' })[0]?.detail, instantRequirement);
  assert.deepEqual(
    compilePartCheck('query', from)(parseQuery('createdFrom=2026-01-01T00:00:00%2B01:00', from).values),
    [],
  );
});

test('a body that is not an object is reported as the wrong type', () => {
  assert.deepEqual(check([])[0]?.code, 'wrong-type');
  assert.deepEqual(check(null)[0]?.code, 'wrong-type');
});

test('text that a database engine would change is refused', () => {
  assert.deepEqual(check({ citizenId: 'a\0', message: 'x' }), [
    {
      in: 'body',
      pointer: '/citizenId',
      code: 'malformed',
      detail: 'must not contain NUL or a lone surrogate',
    },
  ]);
  assert.equal(check({ citizenId: 'a', message: '\ud800' })[0]?.pointer, '/message');
});

test('an unknown name that could be personal data is not repeated', () => {
  const issues = check({ citizenId: 'a', message: 'x', 'Eleni Papadopoulou 1990': 1 });
  assert.ok(!JSON.stringify(issues).includes('Eleni'));
});

test('a query with a repeated parameter, or not in percent-encoded UTF-8, is refused', () => {
  assert.deepEqual(parseQuery('a=b+c&d=%C3%A9&limit=7', schema).values, { a: 'b c', d: 'é', limit: 7 });
  assert.deepEqual(
    parseQuery('a=%ff', undefined).issues.map(({ name, code }) => [name, code]),
    [['a', 'malformed']],
  );
  assert.deepEqual(
    parseQuery('a=1&a=2', undefined).issues.map(({ name, code }) => [name, code]),
    [['a', 'repeated']],
  );
});

test('a parameter that occurs several times is reported once', () => {
  const repeated = { in: 'query', name: 'a', code: 'repeated', detail: 'must occur once' };
  assert.deepEqual(parseQuery(Array(2_000).fill('a=1').join('&'), undefined).issues, [repeated]);
});

test('a parameter with the name of an object property is unknown', () => {
  const { values } = parseQuery('limit=1&__proto__=x', schema);
  const issues = compilePartCheck('query', Type.Object({}, { additionalProperties: false }))(values);
  assert.deepEqual(
    issues.map(({ name, code }) => [name, code]),
    [
      ['limit', 'unknown-input'],
      ['…', 'unknown-input'],
    ],
  );
});

test('with any number of unknown names, the other faults are reported too', () => {
  const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 1]));
  const issues = check({ ...unknown, citizenId: 'a', limit: 0, mesage: 'x' });
  const found = issues.filter(({ code }) => code !== 'unknown-input').map(({ pointer, code }) => [pointer, code]);
  assert.deepEqual(found.sort(), [
    ['/limit', 'out-of-range'],
    ['/message', 'required'],
  ]);
  assert.equal(issues.length, 66);
  assert.deepEqual(issues.find(({ code }) => code === 'unknown-input')?.pointer, '/k0');
});

test('text that a database engine would change is reported together with other faults', () => {
  const pointers = check({ citizenId: 'a\0', message: 'x', limit: 0 }).map(({ pointer }) => pointer);
  assert.deepEqual(pointers.sort(), ['/citizenId', '/limit']);
});

test('an unknown name is compared with the names of its own object', () => {
  const hours = Type.Object({ from: Type.Optional(Type.Integer()) }, { additionalProperties: false });
  const nested = compilePartCheck('body', Type.Object({ language: Type.Optional(Type.String()), hours }));
  assert.deepEqual(
    nested({ hours: { form: 8, langage: 'nb' } }).map(({ pointer, detail }) => [pointer, detail]),
    [
      ['/hours/form', "unknown; did you mean 'from'?"],
      ['/hours/langage', 'unknown; allowed names: from'],
    ],
  );
});

test('an unknown name that resembles none is reported with the allowed names', () => {
  const found = (schema: TObject) => compilePartCheck('query', schema)({ surname: 'x' }).map(({ detail }) => detail);
  const closed = { additionalProperties: false };
  const claims = Type.Object(
    { familyName: Type.Optional(Type.String()), birthDate: Type.Optional(Type.String()) },
    closed,
  );
  assert.deepEqual(found(claims), ['unknown; allowed names: familyName, birthDate']);
  assert.deepEqual(found(Type.Object({}, closed)), ['unknown; no names are allowed here']);
});

test('a time in another format is reported with the accepted format', () => {
  const times = compilePartCheck('body', Type.Object({ at: Type.String({ format: 'date-time' }) }));
  assert.deepEqual(times({ at: '2026-01-31 12:00' }), [
    {
      in: 'body',
      pointer: '/at',
      code: 'malformed',
      detail: 'must be an instant with its offset, such as 2026-01-31T12:00:00Z',
    },
  ]);
});

test('two names are similar if they differ by one edit, one swap or by case', () => {
  for (const near of ['mesage', 'messages', 'massage', 'emssage', 'MESSAGE', 'mess_age'])
    assert.ok(isSimilarName(near, 'message'), near);
  for (const far of ['msg', 'massages', 'citizenId', '']) assert.ok(!isSimilarName(far, 'message'), far);
});

test('a value that does not match its pattern is reported with a description of the pattern', () => {
  const title = Type.String({ pattern: '^[ -~]+$', description: 'The title, percent-encoded.' });
  const coded = compilePartCheck(
    'header',
    Type.Object({ title, kind: Type.Optional(Type.String({ pattern: '^a$' })) }),
  );
  assert.deepEqual(
    coded({ title: 'Ä', kind: 'b' }).map(({ name, detail }) => [name, detail]),
    [
      ['title', 'must match pattern "^[ -~]+$". The title, percent-encoded.'],
      ['kind', 'must match pattern "^a$"'],
    ],
  );
});

test('the faults of a nullable member are those of its schema, and do not mention null', () => {
  const channel = Type.Union([Type.Literal('email'), Type.Literal('sms')]);
  const hours = Type.Object(
    { from: Type.Integer({ maximum: 24 }), channels: Type.Array(channel) },
    { additionalProperties: false },
  );
  const language = Type.String({ pattern: '^[a-z]{2}$', description: 'The language (BCP 47).' });
  const orNull = <S extends TObject | typeof language>(inner: S) => Type.Union([inner, Type.Null()]);
  const nullable = compilePartCheck('body', Type.Object({ hours: orNull(hours), language: orNull(language) }));
  assert.deepEqual(nullable({ hours: null, language: null }), []);
  const faults = (value: object) => nullable(value).map(({ pointer, code, detail }) => `${pointer} ${code}: ${detail}`);
  assert.deepEqual(faults({ hours: { from: 25, channels: ['fax'], form: 1 }, language: 'english' }).sort(), [
    '/hours/channels/0 not-allowed: must be one of email, sms',
    "/hours/form unknown-input: unknown; did you mean 'from'?",
    '/hours/from out-of-range: must be <= 24',
    '/language malformed: must match pattern "^[a-z]{2}$". The language (BCP 47).',
  ]);
  assert.deepEqual(faults({ hours: 5, language: {} }), [
    '/hours wrong-type: must be object',
    '/language wrong-type: must be string',
  ]);
  assert.deepEqual(faults({ hours: {}, language: null }).sort(), [
    '/hours/channels required: required',
    '/hours/from required: required',
  ]);
});
