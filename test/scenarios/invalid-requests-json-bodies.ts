import { operations } from '../../src/app/operations.ts';
import { markers, sampledOperations } from '../support/valid-requests.ts';
import { type InvalidRequest, withBody, withHeaders, withMembers } from './invalid-request.ts';

const namesWithJsonBody = new Set(
  operations.filter(({ request }) => request.body !== undefined).map(({ name }) => name),
);
const jsonOperations = sampledOperations.filter((name) => namesWithJsonBody.has(name));
const citizenOperations = ['verifyIdentity', 'verifyIdentityQuery', 'sendNotification'];
const verifyOperations = ['verifyIdentity', 'verifyIdentityQuery'];
const sendOperations = ['sendNotification'];
const acceptsJson = { accept: 'application/json' };

const mediaTypes: readonly InvalidRequest[] = [
  ['no media type', undefined],
  ['text as media type', 'text/plain'],
  ['a form as media type', 'application/x-www-form-urlencoded'],
  ['a media type that starts like JSON', 'application/jsonp'],
  ['an invalid media type', 'json'],
  ['JSON in another charset', 'application/json; charset=iso-8859-1'],
].map(
  ([title = '', type]): InvalidRequest => ({
    title,
    operations: jsonOperations,
    make: (good) => withHeaders(good, { 'content-type': type }),
    expected: [415, 'unsupported-media-type'],
    expectedHeaders: acceptsJson,
  }),
);

const unreadable: readonly InvalidRequest[] = [
  ['an empty body', ''],
  ['a body of white space', ' \n '],
  ['an incomplete body', '{"citizenId": "demo-'],
  ['a trailing comma', '{"citizenId": "demo-mary",}'],
  ['two JSON values in the body', '{}{}'],
  ['a duplicate member', '{"citizenId": "demo-mary", "citizenId": "demo-layla"}'],
  ['a duplicate member, once with an escape', '{"citizenId": "demo-mary", "citizen\\u0049d": "demo-layla"}'],
  ['a duplicate member in a nested object', '{"citizenId": {"a": [{"b": 1, "b": 2}]}}'],
  ['a body that is not UTF-8', Buffer.from('{"citizenId": "Zzyxwname\xe9"}', 'latin1')],
  ['a body in UTF-16', Buffer.from('{"citizenId": "Zzyxwname"}', 'utf16le')],
].map(
  ([title = '', body = '']): InvalidRequest => ({
    title: String(title),
    operations: jsonOperations,
    make: (good) => withBody(good, body),
    expected: [400, 'malformed-json'],
  }),
);

const shapes: readonly InvalidRequest[] = [
  ['an array as body', '[]'],
  ['a string as body', '"Zzyxwname"'],
  ['null as body', 'null'],
  ['a number as body', '4711'],
  ['a body of ten thousand nested arrays', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
].map(
  ([title = '', body = '']): InvalidRequest => ({
    title,
    operations: jsonOperations,
    make: (good) => withBody(good, body),
    expected: [400, 'bad-request'],
    expectedIssues: ['body  wrong-type'],
  }),
);

const large = `{"citizenId":"${'Zzyxwname'.repeat(8_000)}"}`;
const sizes: readonly InvalidRequest[] = [
  {
    title: 'a body of more than 64 KiB',
    operations: jsonOperations,
    make: (good) => withBody(good, large),
    expected: [413, 'payload-too-large'],
    expectedHeaders: { connection: 'close' },
  },
  {
    title: 'a chunked body of more than 64 KiB',
    operations: jsonOperations,
    make: (good) =>
      withHeaders({ ...good, body: large }, { 'content-length': undefined, 'transfer-encoding': 'chunked' }),
    expected: [413, 'payload-too-large'],
    expectedHeaders: { connection: 'close' },
  },
  {
    title: 'a body with a Content-Encoding',
    operations: jsonOperations,
    make: (good) => withHeaders(good, { 'content-encoding': 'gzip' }),
    expected: [415, 'unsupported-media-type'],
    expectedHeaders: acceptsJson,
  },
];

type Member = readonly [title: string, members: Readonly<Record<string, unknown>>, ...issues: string[]];
const invalidMembers = (on: readonly string[], lines: readonly Member[]): readonly InvalidRequest[] =>
  lines.map(([title, members, ...issues]) => ({
    title,
    operations: on,
    make: (good) => withMembers(good, members),
    expected: [400, 'bad-request'],
    expectedIssues: issues,
  }));

const commonMembers = invalidMembers(citizenOperations, [
  ['an unknown member', { colour: markers.name }, 'body /colour unknown-input'],
  ['an unknown member whose name may be personal data', { 'Zzyxwname Müller': 1 }, 'body /… unknown-input'],
  ['a number instead of a string', { citizenId: 4711 }, 'body /citizenId wrong-type'],
  ['null instead of a string', { citizenId: null }, 'body /citizenId wrong-type'],
  ['an object instead of a string', { citizenId: { eq: '' } }, 'body /citizenId wrong-type'],
  ['an empty string', { citizenId: '' }, 'body /citizenId too-short'],
  ['U+0000 in a string', { citizenId: 'Zzyxwname\u0000' }, 'body /citizenId malformed'],
  ['half of a surrogate pair in a string', { citizenId: 'Zzyxwname\ud800' }, 'body /citizenId malformed'],
  [
    'several faults at once',
    { citizenId: 4711, colour: 1, size: 2 },
    'body /citizenId wrong-type',
    'body /colour unknown-input',
    'body /size unknown-input',
  ],
]);

const claims = invalidMembers(verifyOperations, [
  ['a claim that is too long', { familyName: markers.name.repeat(23) }, 'body /familyName too-long'],
  ['a claim of white space', { familyName: ' \t' }, 'body /familyName malformed'],
  ['a date in another order', { birthDate: '25.04.1981' }, 'body /birthDate malformed'],
  ['a date with a time', { birthDate: '1981-04-25T00:00:00Z' }, 'body /birthDate malformed'],
  ['a claim under its two names', { birth_date: '1981-04-25' }, 'body /birth_date repeated'],
  ['a nonce that is too long', { nonce: markers.nonce.repeat(21) }, 'body /nonce too-long'],
]);

const insufficientClaims: readonly InvalidRequest[] = [
  [
    'no claims at all',
    { citizenId: undefined, givenName: undefined, familyName: undefined, birthDate: undefined },
    ...['citizenId', 'familyName', 'birthDate'],
  ],
  ['only an id', { givenName: undefined, familyName: undefined, birthDate: undefined }, 'familyName', 'birthDate'],
  ['a name and a date of birth', { citizenId: undefined, givenName: undefined }, 'citizenId'],
  ['both names and a date of birth', { citizenId: undefined }, 'citizenId'],
  ['an id and a name', { birthDate: undefined }, 'birthDate'],
].map(
  ([title, members, ...missing]): InvalidRequest => ({
    title: String(title),
    operations: verifyOperations,
    make: (good) => withMembers(good, members as Readonly<Record<string, unknown>>),
    expected: [400, 'insufficient-claims'],
    expectedIssues: missing.map((claim) => `body /${String(claim)} required`),
  }),
);

const purposes: readonly InvalidRequest[] = [
  {
    title: 'a purpose that is not agreed',
    operations: verifyOperations,
    make: (good, { singlePurposeToken }) =>
      withHeaders(withMembers(good, { purpose: markers.purpose }), { authorization: `Bearer ${singlePurposeToken}` }),
    expected: [403, 'purpose-not-permitted'],
  },
];

const messages = invalidMembers(sendOperations, [
  ['no citizen', { citizenId: undefined }, 'body /citizenId required'],
  ['no message', { message: undefined }, 'body /message required'],
  [
    'neither citizen nor message',
    { citizenId: undefined, message: undefined },
    'body /citizenId required',
    'body /message required',
  ],
  [
    'a misspelled member',
    { message: undefined, mesage: markers.message },
    'body /mesage unknown-input',
    'body /message required',
  ],
  ['a citizen of 201 characters', { citizenId: 'c'.repeat(201) }, 'body /citizenId too-long'],
  ['an empty message', { message: '' }, 'body /message too-short'],
  ['a message of white space', { message: ' \n ' }, 'body /message malformed'],
  ['a message of 20,001 characters', { message: 'm'.repeat(20_001) }, 'body /message too-long'],
  ['a control character in the message', { message: `${markers.message}\u0007` }, 'body /message malformed'],
  ['a line break in the subject', { subject: `${markers.message}\nBcc: a@b.example` }, 'body /subject malformed'],
  ['a reference of 201 characters', { reference: 'r'.repeat(201) }, 'body /reference too-long'],
  ['a category that does not exist', { category: 'spam' }, 'body /category not-allowed'],
  ['an invalid language', { language: 'Deutsch!' }, 'body /language malformed'],
  ['no channel', { channels: [] }, 'body /channels too-short'],
  ['an unknown channel', { channels: ['telegram'] }, 'body /channels/0 not-allowed'],
  ['a duplicate channel', { channels: ['email', 'email'] }, 'body /channels not-valid'],
  ['channels that are not an array', { channels: 'email' }, 'body /channels wrong-type'],
  ['a time without a zone', { sendAt: '2099-01-01T00:00:00' }, 'body /sendAt malformed'],
  ['a day that does not exist', { sendAt: '2099-02-30T00:00:00Z' }, 'body /sendAt malformed'],
  ['a time in the past', { sendAt: '2020-01-01T00:00:00Z' }, 'body /sendAt out-of-range'],
  ['a deadline in the past', { deliverBy: '2020-01-01T00:00:00Z' }, 'body /deliverBy out-of-range'],
  ['a time after more than a year', { sendAt: '2099-01-01T00:00:00Z' }, 'body /sendAt out-of-range'],
]);

const grants = invalidMembers(
  ['grantDocument'],
  [
    ['no client', { clientId: undefined }, 'body /clientId required'],
    ['no purpose', { purpose: undefined }, 'body /purpose required'],
    ['an empty purpose', { purpose: '' }, 'body /purpose too-short'],
    ['a line break in the purpose', { purpose: `${markers.purpose}\npermit` }, 'body /purpose malformed'],
    ['an end in the past', { endsAt: '2020-01-01T00:00:00Z' }, 'body /endsAt out-of-range'],
    ['an end on a day that does not exist', { endsAt: '2099-02-30T00:00:00Z' }, 'body /endsAt malformed'],
  ],
);

const webhooks = invalidMembers(
  ['createWebhook'],
  [
    ['no URL', { url: undefined }, 'body /url required'],
    ['an empty URL', { url: '' }, 'body /url too-short'],
    ['an invalid URL', { url: 'Zzyxwname' }, 'body /url not-allowed'],
    ['a URL with another scheme', { url: 'file:///etc/passwd' }, 'body /url not-allowed'],
    ['a URL with a password', { url: 'https://Zzyxwname:Zzyxwname@hooks.example/' }, 'body /url not-allowed'],
    ['a URL that is too long', { url: `https://hooks.example/${'h'.repeat(2_000)}` }, 'body /url too-long'],
  ],
);

const keys: readonly InvalidRequest[] = [
  ['an empty idempotency key', ''],
  ['an idempotency key of two quotes', '""'],
  ['an idempotency key of 256 characters', 'k'.repeat(256)],
  ['an idempotency key that is not ASCII', 'schlüssel'],
].map(
  ([title = '', key]): InvalidRequest => ({
    title,
    operations: sendOperations,
    make: (good) => withHeaders(good, { 'idempotency-key': key }),
    expected: [400, 'idempotency-key-invalid'],
  }),
);

const reusedKeys: readonly InvalidRequest[] = [
  {
    title: 'the idempotency key of another message',
    operations: sendOperations,
    make: (good, { usedIdempotencyKey }) =>
      withHeaders(withMembers(good, { category: 'urgent' }), { 'idempotency-key': usedIdempotencyKey }),
    expected: [422, 'idempotency-key-reused'],
  },
];

/** Faults of a JSON body and its headers. */
export const invalidJsonBodies: readonly InvalidRequest[] = [
  ...[...mediaTypes, ...unreadable, ...shapes, ...sizes, ...commonMembers],
  ...[...claims, ...insufficientClaims, ...purposes, ...messages, ...grants, ...webhooks, ...keys, ...reusedKeys],
];
