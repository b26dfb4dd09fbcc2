import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TObject, type TSchema, Type } from 'typebox';
import { breakingChanges } from '../../scripts/register-changes.ts';
import { describeEndpoints } from '../../src/api/endpoint-register.ts';
import { defineOperation, type Operation, type OperationCall } from '../../src/api/operation.ts';

const closed = { additionalProperties: false };
const text = Type.String({ maxLength: 20 });

/** A register of operations that differ in the given parts. */
function register(
  ...changes: readonly (Partial<Operation<object>> & { readonly body?: TObject; readonly gives?: TObject })[]
) {
  return describeEndpoints(
    changes.map(
      ({ body = Type.Object({ name: text }, closed), gives = Type.Object({ id: text }), ...change }, index) => {
        const request = { body };
        const operation = defineOperation({
          name: `operation${index}`,
          since: '1.0',
          method: 'POST',
          path: `/v1/things/${index}`,
          scope: 'events:read',
          callers: ['clients'],
          summary: '',
          description: '',
          request,
          responses: { 200: { description: '', schema: gives } },
          refusals: [],
          citizenData: false,
          run: async (_call: OperationCall<typeof request, object>) => ({ plain: { status: 200, json: {} } }),
        });
        return { ...operation, ...change };
      },
    ),
  );
}

const before = register({}, {});

test('a register with a new entry, an optional member or a wider bound has no breaking change', () => {
  const wider = Type.Object({ name: Type.String({ maxLength: 30 }), more: Type.Optional(text) }, closed);
  const gives = Type.Object({ id: text, more: text });
  assert.deepEqual(breakingChanges(before, register({ body: wider, gives }, {}, {})), []);
});

test('a nullable member of a request with another description has no breaking change', () => {
  const described = (description: string) =>
    register({ body: Type.Object({ hours: Type.Union([Type.Object({ from: text }, { description }), Type.Null()]) }) });
  assert.deepEqual(breakingChanges(described('Before.'), described('After.')), []);
});

const lost: readonly (readonly [string, ReturnType<typeof register>, RegExp])[] = [
  ['a removed entry', register({}), /operation1 is not at its place 2/],
  ['entries in another order', before.toReversed(), /operation0 is not at its place 1/],
  ['another path', register({ path: '/v1/other' }, {}), /path changed/],
  ['another method', register({ method: 'GET' }, {}), /method changed/],
  ['another scope', register({ scope: 'documents:read' }, {}), /scope changed/],
  ['other callers', register({ callers: ['citizens'] }, {}), /no longer for clients/],
  ['another first release', register({ since: '1.1' }, {}), /since changed/],
  [
    'a member that became required',
    register({ body: Type.Object({ name: text, more: text }) }, {}),
    /more became required/,
  ],
  [
    'a narrower bound',
    register({ body: Type.Object({ name: Type.String({ maxLength: 9 }) }) }, {}),
    /maxLength is narrower/,
  ],
  ['a removed request member', register({ body: Type.Object({}, closed) }, {}), /name is gone/],
  ['a removed response member', register({ gives: Type.Object({}) }, {}), /id/],
];

const gives = (id: TSchema) => register({ gives: Type.Object({ id }) });
const nothing = Type.Null();

/** Responses before and after a change, each with one member. */
const lostWithin: readonly (readonly [string, TSchema, TSchema])[] = [
  ['another type next to null', Type.Union([text, nothing]), Type.Union([Type.Integer(), nothing])],
  ['a new null', text, Type.Union([text, nothing])],
  [
    'a removed member next to null',
    Type.Union([Type.Object({ name: text }), nothing]),
    Type.Union([Type.Object({ other: text }), nothing]),
  ],
];

const takes = (name: TSchema) => register({ body: Type.Object({ name }, closed) });
const words = (...all: string[]) => Type.Union(all.map((word) => Type.Literal(word)));

/** Request schemas before and after a change, each with one member. */
const narrower: readonly (readonly [string, TSchema, TSchema, RegExp])[] = [
  ['one value fewer', words('a', 'b'), words('a'), /name: takes fewer values/],
  ['listed values instead of any text', text, Type.Enum(['a', 'b']), /name: takes fewer values/],
  ['another type', text, Type.Integer(), /name: type changed/],
  ['a pattern', text, Type.String({ maxLength: 20, pattern: '^a' }), /name: pattern changed/],
  ['a new bound', Type.Integer(), Type.Integer({ maximum: 9 }), /name: maximum is narrower/],
  ['a higher minimum', Type.Integer({ minimum: 1 }), Type.Integer({ minimum: 2 }), /name: minimum is narrower/],
  ['a bound in a list', Type.Array(text), Type.Array(Type.String({ maxLength: 9 })), /name\[\]: maxLength is narrower/],
];

for (const [what, old, now, loss] of narrower) {
  test(`a request that takes ${what} is a breaking change`, () => {
    assert.match(breakingChanges(takes(old), takes(now)).join('\n'), loss);
    assert.deepEqual(breakingChanges(takes(old), takes(old)), []);
  });
}

for (const [what, old, now] of lostWithin) {
  test(`a response with ${what} is a breaking change`, () => {
    assert.match(breakingChanges(gives(old), gives(now)).join('\n'), /200\/id/);
  });
}

test('a response with new enumeration values, or with null and new members, has no breaking change', () => {
  const either = (...schemas: TSchema[]) => Type.Union([...schemas, nothing]);
  const [less, more] = [Type.Object({ name: text }), Type.Object({ name: text, more: text })];
  assert.deepEqual(breakingChanges(gives(words('a', 'b')), gives(words('a', 'b', 'c'))), []);
  assert.deepEqual(breakingChanges(gives(either(less)), gives(either(more))), []);
});

for (const [what, after, loss] of lost) {
  test(`a register with ${what} has a breaking change`, () => {
    assert.match(breakingChanges(before, after).join('\n'), loss);
  });
}
