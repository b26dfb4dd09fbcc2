import { markers, unknownIds } from '../support/valid-requests.ts';
import { atPath, type InvalidRequest, withBody, withHeaders, withQuery } from './invalid-request.ts';

const verify = ['verifyIdentityByQuery'];
const list = ['listNotifications'];
const documents = ['listDocuments'];
const deposit = ['depositDocument'];
const retrieve = ['retrieveDocument'];
const documentReads = ['retrieveDocument', 'readDocumentRecord'];
const receipts = ['readReceipt', 'readReceiptProof'];

/** Operations with an id in the path: the kind of thing, and the problem of an unknown id. */
const operationsWithId = [
  ['readVerification', 'verification', 'verification-not-found'],
  ['readNotification', 'notification', 'notification-not-found'],
  ['cancelNotification', 'notification', 'notification-not-found'],
  ['readEvidence', 'notification', 'notification-not-found'],
  ['retrieveDocument', 'document', 'document-not-found'],
  ['readDocumentRecord', 'document', 'document-not-found'],
  ['withdrawDocument', 'document', 'document-not-found'],
  ['grantDocument', 'document', 'document-not-found'],
  ['endGrant', 'document', 'document-not-found'],
  ['removeWebhook', 'webhook', 'webhook-not-found'],
  ['rotateWebhookSecret', 'webhook', 'webhook-not-found'],
  ['redeliverWebhook', 'webhook', 'webhook-not-found'],
  ['testWebhook', 'webhook', 'webhook-not-found'],
  ['listWebhookCalls', 'webhook', 'webhook-not-found'],
  ['readTemplate', 'template', 'template-not-found'],
  ['removeTemplate', 'template', 'template-not-found'],
  ['readReceipt', 'event', 'receipt-not-found'],
  ['readReceiptProof', 'event', 'receipt-not-found'],
] as const;

const invalidIds: readonly InvalidRequest[] = operationsWithId.flatMap(([operation, kind, slug]): InvalidRequest[] => {
  const line = (title: string, id: (own: string, foreign: string) => string): InvalidRequest => ({
    title,
    operations: [operation],
    make: (good, world) =>
      atPath(good, (path) => path.replace(world.ids[kind], id(world.ids[kind], world.otherClientIds[kind]))),
    expected: [404, slug],
  });
  const bad = (title: string, id: string, code: string): InvalidRequest => ({
    ...line(title, () => id),
    expected: [400, 'bad-request'],
    expectedIssues: [`path ${receipts.includes(operation) ? 'eventId' : 'id'} ${code}`],
  });
  return [
    line('an unknown id', () => unknownIds[kind]),
    line('an id of another client', (_own, foreign) => foreign),
    line('an id of another kind', (own) => own.replace(/^\w+_/, 'key_')),
    line('an id in lower case', (own) => own.toLowerCase()),
    line('a truncated id', (own) => own.slice(0, -1)),
    line('an id with a quote', (own) => `${own.slice(0, -1)}'`),
    line('an id with a path traversal', () => '..%2F..%2Froot.key'),
    bad('an id with U+0000', `${unknownIds[kind].slice(0, -1)}%00`, 'malformed'),
  ];
});

// Only the length of the URI limits the id of a receipt. It is looked up and not found.
const longIds: readonly InvalidRequest[] = operationsWithId.map(([operation, kind]) => ({
  title: 'an id of 300 characters',
  operations: [operation],
  make: (good, world) => atPath(good, (path) => path.replace(world.ids[kind], 'a'.repeat(300))),
  ...(receipts.includes(operation)
    ? { expected: [404, 'receipt-not-found'] as const }
    : { expected: [400, 'bad-request'] as const, expectedIssues: ['path id too-long'] }),
}));

type Parameter = readonly [title: string, parameter: string, ...issues: string[]];
const invalidQueries = (operations: readonly string[], path: string, lines: readonly Parameter[]) =>
  lines.map(
    ([title, parameter, ...expectedIssues]): InvalidRequest => ({
      title,
      operations,
      make: (good) => withQuery({ ...good, path }, parameter),
      expected: [400, 'bad-request'],
      expectedIssues,
    }),
  );

const verifyPath = '/v1/identity/verify?citizenId=demo-mary&familyName=Smith';
const claims = invalidQueries(verify, verifyPath, [
  ['a duplicate claim', 'birthDate=1981-04-25&birthDate=1981-04-25', 'query birthDate repeated'],
  ['an empty claim', 'birthDate=', 'query birthDate too-short'],
  ['a date in another order', 'birthDate=25.04.1981', 'query birthDate malformed'],
  ['a claim that is too long', `givenName=${markers.name.repeat(23)}`, 'query givenName too-long'],
  ['U+0000 in a claim', 'givenName=Zzyxwname%00', 'query givenName malformed'],
  ['a claim under the name for a body', 'birth_date=1981-04-25', 'query birth_date unknown-input'],
  ['a claim that is not UTF-8', 'givenName=Zzyxwname%E9', 'query givenName malformed'],
]);

const insufficientClaims: readonly InvalidRequest[] = [
  ['no claims', '/v1/identity/verify', 'citizenId', 'familyName', 'birthDate'],
  ['only an id', '/v1/identity/verify?citizenId=demo-mary', 'familyName', 'birthDate'],
  ['an id and a name', verifyPath, 'birthDate'],
].map(
  ([title = '', path = '', ...missing]): InvalidRequest => ({
    title,
    operations: verify,
    make: (good) => ({ ...good, path }),
    expected: [400, 'insufficient-claims'],
    expectedIssues: missing.map((claim) => `query ${claim} required`),
  }),
);

const notifications = invalidQueries(list, '/v1/notifications', [
  ['a limit of 0', 'limit=0', 'query limit out-of-range'],
  ['a limit of 101', 'limit=101', 'query limit out-of-range'],
  ['a limit that is not a number', 'limit=ten', 'query limit wrong-type'],
  ['a limit that is not an integer', 'limit=1.5', 'query limit wrong-type'],
  ['a duplicate limit', 'limit=1&limit=2', 'query limit repeated'],
  ['a status that does not exist', 'status=lost', 'query status not-allowed'],
  ['an empty reference', 'reference=', 'query reference too-short'],
  ['an invalid cursor', 'cursor=next', 'query cursor malformed'],
  ['a day that does not exist', 'createdFrom=2026-02-30T00:00:00Z', 'query createdFrom malformed'],
  ['an instant without a zone', 'createdBefore=2026-02-03T00:00:00', 'query createdBefore malformed'],
  [
    'several faults at once',
    'limit=0&status=lost&colour=red',
    'query colour unknown-input',
    'query limit out-of-range',
    'query status not-allowed',
  ],
]);

const records = invalidQueries(documents, '/v1/documents', [
  ['a time before 1970', 'depositedFrom=1969-01-01T00:00:00Z', 'query depositedFrom malformed'],
  ['a citizen in Latin-1', 'citizenId=%E9', 'query citizenId malformed'],
  ['an empty citizen', 'citizenId=', 'query citizenId too-short'],
  ['two citizens', 'citizenId=demo-mary&citizenId=demo-layla', 'query citizenId repeated'],
  ['a cursor that is not an id', 'citizenId=demo-mary&cursor=next', 'query cursor malformed'],
]);

const feed = invalidQueries(['readEvents'], '/v1/events', [
  ['an invalid cursor', 'after=next', 'query after malformed'],
  ['an unknown type', 'types=notification.lost', 'query types malformed'],
  ['a limit of 0', 'limit=0', 'query limit out-of-range'],
]);

type Header = readonly [title: string, headers: Readonly<Record<string, string | undefined>>, ...issues: string[]];
const invalidHeaders = (operations: readonly string[], lines: readonly Header[]) =>
  lines.map(
    ([title, headers, ...expectedIssues]): InvalidRequest => ({
      title,
      operations,
      make: (good) => withHeaders(good, headers),
      expected: [400, 'bad-request'],
      expectedIssues,
    }),
  );

const deposits = invalidHeaders(deposit, [
  ['no citizen', { 'citizen-id': undefined }, 'header citizen-id required'],
  ['no title', { 'document-title': undefined }, 'header document-title required'],
  ['no media type', { 'content-type': undefined }, 'header content-type required'],
  ['an empty title', { 'document-title': '' }, 'header document-title too-short'],
  ['a title that is not percent-encoded', { 'document-title': 'Zzyxwtitle é' }, 'header document-title malformed'],
  ['a title with invalid percent-encoding', { 'document-title': 'Zzyxwtitle%E9' }, 'header document-title malformed'],
  ['U+0000 in the title', { 'document-title': 'Zzyxwtitle%00' }, 'header document-title malformed'],
  ['a title of 201 characters', { 'document-title': '%C3%A9'.repeat(201) }, 'header document-title malformed'],
  ['a kind with capitals', { 'document-kind': 'Permit' }, 'header document-kind malformed'],
  ['an invalid digest', { 'repr-digest': 'sha-256=abc' }, 'header repr-digest malformed'],
  [
    'a day that does not exist',
    { 'document-issued-at': '2026-02-30T00:00:00Z' },
    'header document-issued-at malformed',
  ],
  [
    'an end of retention in the past',
    { 'document-retain-until': '2020-01-01T00:00:00Z' },
    'header document-retain-until out-of-range',
  ],
  ['a purpose with invalid percent-encoding', { purpose: 'Zzyxwpurpose%zz' }, 'header purpose malformed'],
]);

const contents: readonly InvalidRequest[] = [
  ['content of another media type', { 'content-type': 'image/png' }],
  ['a digest of other content', { 'repr-digest': `sha-256=:${Buffer.alloc(32).toString('base64')}:` }],
].map(
  ([title, headers]): InvalidRequest => ({
    title: String(title),
    operations: deposit,
    make: (good) => withHeaders(good, headers as Readonly<Record<string, string>>),
    expected: [400, 'content-mismatch'],
  }),
);

const bodies: readonly InvalidRequest[] = [
  {
    title: 'an empty document',
    operations: deposit,
    make: (good) => withBody(withHeaders(good, { 'repr-digest': undefined }), ''),
    expected: [400, 'content-mismatch'],
  },
  {
    title: 'an invalid media type',
    operations: deposit,
    make: (good) => withHeaders(good, { 'content-type': 'pdf' }),
    expected: [415, 'unsupported-media-type'],
    expectedHeaders: { accept: /^application\/pdf, / },
  },
  {
    title: 'an unsupported media type',
    operations: deposit,
    make: (good) => withHeaders(good, { 'content-type': 'application/x-sh' }),
    expected: [415, 'unsupported-media-type'],
    expectedHeaders: { accept: /^application\/pdf, / },
  },
  {
    title: 'a document with a Content-Encoding',
    operations: deposit,
    make: (good) => withHeaders(good, { 'content-encoding': 'gzip' }),
    expected: [415, 'unsupported-media-type'],
    expectedHeaders: { accept: /^application\/pdf, / },
  },
  {
    title: 'a document of more than 100 MiB',
    operations: deposit,
    make: (good) => withHeaders(good, { 'content-length': '104857601' }),
    expected: [413, 'payload-too-large'],
    expectedHeaders: { connection: 'close' },
  },
  {
    title: 'an unknown citizen',
    operations: deposit,
    make: (good) => withHeaders(good, { 'citizen-id': markers.name }),
    expected: [404, 'citizen-not-found'],
  },
];

const citizens: readonly InvalidRequest[] = [
  {
    title: 'a token without a citizen',
    operations: ['readOwnAccessLog', 'statePreferences', 'readPreferences', 'listInboxMessages', 'openInboxMessage'],
    make: (good, { singlePurposeToken }) => withHeaders(good, { authorization: `Bearer ${singlePurposeToken}` }),
    expected: [403, 'citizen-token-needed'],
  },
];

const cancellations: readonly InvalidRequest[] = [
  {
    title: 'a notification that was sent',
    operations: ['cancelNotification'],
    make: (good, { ids, sentNotification }) => atPath(good, (path) => path.replace(ids.notification, sentNotification)),
    expected: [409, 'conflict'],
  },
];

const retrievals: readonly InvalidRequest[] = [
  {
    title: 'a range after the end of the document',
    operations: retrieve,
    make: (good) => withHeaders(good, { range: 'bytes=4711-' }),
    expected: [416, 'range-not-satisfiable'],
    expectedHeaders: { 'content-range': /^bytes \*\/\d+$/ },
  },
  {
    title: 'the ETag of another version',
    operations: [...retrieve, 'withdrawDocument'],
    make: (good) => withHeaders(good, { 'if-match': '"another"' }),
    expected: [412, 'precondition-failed'],
  },
  {
    title: 'an Accept header without the media type of the document',
    operations: retrieve,
    make: (good) => withHeaders(good, { accept: 'application/json' }),
    expected: [406, 'not-acceptable'],
  },
  ...invalidHeaders(documentReads, [
    ['a purpose with invalid percent-encoding', { purpose: 'Zzyxwpurpose%zz' }, 'header purpose malformed'],
    ['a purpose of 2,401 characters', { purpose: 'p'.repeat(2_401) }, 'header purpose too-long'],
  ]),
];

/** Faults of an id, a query or a header of one operation. */
export const invalidForOneOperation: readonly InvalidRequest[] = [
  ...[...invalidIds, ...longIds, ...claims, ...insufficientClaims, ...notifications],
  ...[...feed, ...records, ...deposits, ...contents, ...bodies, ...cancellations, ...citizens, ...retrievals],
];
