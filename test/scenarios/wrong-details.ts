import { marks, noIds } from './good-requests.ts';
import { atPath, type WrongInput, withBody, withHeaders, withQuery } from './wrong-input.ts';

const verify = ['verifyIdentityByQuery'];
const list = ['listNotifications'];
const documents = ['listDocuments'];
const deposit = ['depositDocument'];
const retrieve = ['retrieveDocument'];

/** Operations with an id in the path: what kind of thing it names, and the problem of one that is not there. */
const named = [
  ['readVerification', 'verification', 'verification-not-found'],
  ['readNotification', 'notification', 'notification-not-found'],
  ['cancelNotification', 'notification', 'notification-not-found'],
  ['readEvidence', 'notification', 'notification-not-found'],
  ['retrieveDocument', 'document', 'document-not-found'],
  ['withdrawDocument', 'document', 'document-not-found'],
  ['grantDocument', 'document', 'document-not-found'],
  ['endGrant', 'document', 'document-not-found'],
  ['removeWebhook', 'webhook', 'webhook-not-found'],
  ['rotateWebhookSecret', 'webhook', 'webhook-not-found'],
  ['redeliverWebhook', 'webhook', 'webhook-not-found'],
  ['readTemplate', 'template', 'template-not-found'],
  ['removeTemplate', 'template', 'template-not-found'],
  ['readReceipt', 'event', 'receipt-not-found'],
] as const;

const ids: readonly WrongInput[] = named.flatMap(([operation, kind, slug]): WrongInput[] => {
  const line = (what: string, id: (own: string, foreign: string) => string): WrongInput => ({
    what,
    on: [operation],
    make: (good, world) =>
      atPath(good, (path) => path.replace(world.ids[kind], id(world.ids[kind], world.foreign[kind]))),
    is: [404, slug],
  });
  const bad = (what: string, id: string, code: string): WrongInput => ({
    ...line(what, () => id),
    is: [400, 'bad-request'],
    issues: [`path ${operation === 'readReceipt' ? 'eventId' : 'id'} ${code}`],
  });
  return [
    line('an id that nothing has', () => noIds[kind]),
    line('an id of another client', (_own, foreign) => foreign),
    line('an id of another kind', (own) => own.replace(/^\w+_/, 'key_')),
    line('an id in small letters', (own) => own.toLowerCase()),
    line('an id that is cut short', (own) => own.slice(0, -1)),
    line('an id with a quote', (own) => `${own.slice(0, -1)}'`),
    line('an id that climbs', () => '..%2F..%2Froot.key'),
    bad('an id with U+0000', `${noIds[kind].slice(0, -1)}%00`, 'malformed'),
  ];
});

// The receipt's id is bounded by the length of the URI alone: it is looked up, and nothing has it.
const longIds: readonly WrongInput[] = named.map(([operation, kind]) => ({
  what: 'an id of 300 characters',
  on: [operation],
  make: (good, world) => atPath(good, (path) => path.replace(world.ids[kind], 'a'.repeat(300))),
  ...(operation === 'readReceipt'
    ? { is: [404, 'receipt-not-found'] as const }
    : { is: [400, 'bad-request'] as const, issues: ['path id too-long'] }),
}));

type Parameter = readonly [what: string, parameter: string, ...issues: string[]];
const refusedQueries = (on: readonly string[], path: string, lines: readonly Parameter[]) =>
  lines.map(
    ([what, parameter, ...issues]): WrongInput => ({
      ...{ what, on },
      make: (good) => withQuery({ ...good, path }, parameter),
      is: [400, 'bad-request'],
      issues,
    }),
  );

const who = '/v1/identity/verify?citizenId=demo-mary&familyName=Smith';
const claims = refusedQueries(verify, who, [
  ['a claim twice', 'birthDate=1981-04-25&birthDate=1981-04-25', 'query birthDate repeated'],
  ['an empty claim', 'birthDate=', 'query birthDate too-short'],
  ['a date in another order', 'birthDate=25.04.1981', 'query birthDate malformed'],
  ['a claim that is too long', `givenName=${marks.name.repeat(23)}`, 'query givenName too-long'],
  ['U+0000 in a claim', 'givenName=Zzyxwname%00', 'query givenName malformed'],
  ['a claim under its name in a body', 'birth_date=1981-04-25', 'query birth_date unknown-input'],
  ['a claim that is no UTF-8', 'givenName=Zzyxwname%E9', 'query givenName malformed'],
]);

const tooFew: readonly WrongInput[] = [
  ['no claims', '/v1/identity/verify'],
  ['an id alone', '/v1/identity/verify?citizenId=demo-mary'],
  ['an id and a name', who],
].map(
  ([what = '', path = '']): WrongInput => ({
    what,
    on: verify,
    make: (good) => ({ ...good, path }),
    is: [400, 'insufficient-claims'],
  }),
);

const notifications = refusedQueries(list, '/v1/notifications', [
  ['a page of none', 'limit=0', 'query limit out-of-range'],
  ['a page of 101', 'limit=101', 'query limit out-of-range'],
  ['a limit that is no number', 'limit=ten', 'query limit wrong-type'],
  ['a limit in halves', 'limit=1.5', 'query limit wrong-type'],
  ['a limit twice', 'limit=1&limit=2', 'query limit repeated'],
  ['a status that does not exist', 'status=lost', 'query status not-allowed'],
  ['an empty reference', 'reference=', 'query reference too-short'],
  ['a cursor that is none', 'cursor=next', 'query cursor malformed'],
  ['a day that no calendar has', 'createdFrom=2026-02-30T00:00:00Z', 'query createdFrom malformed'],
  ['an instant without a zone', 'createdBefore=2026-02-03T00:00:00', 'query createdBefore malformed'],
  [
    'several faults at once',
    'limit=0&status=lost&colour=red',
    'query colour unknown-input',
    'query limit out-of-range',
    'query status not-allowed',
  ],
]);

const records = refusedQueries(documents, '/v1/documents', [
  ['no citizen', 'limit=5', 'query citizenId required'],
  ['a citizen in Latin-1', 'citizenId=%E9', 'query citizenId malformed'],
  ['an empty citizen', 'citizenId=', 'query citizenId too-short'],
  ['two citizens', 'citizenId=demo-mary&citizenId=demo-layla', 'query citizenId repeated'],
  ['a cursor that is no id', 'citizenId=demo-mary&after=next', 'query after malformed'],
]);

const feed = refusedQueries(['readEvents'], '/v1/events', [
  ['a cursor that is none', 'after=next', 'query after malformed'],
  ['a page of none', 'limit=0', 'query limit out-of-range'],
]);

type Header = readonly [what: string, headers: Readonly<Record<string, string | undefined>>, ...issues: string[]];
const refusedHeaders = (on: readonly string[], lines: readonly Header[]) =>
  lines.map(
    ([what, headers, ...issues]): WrongInput => ({
      ...{ what, on },
      make: (good) => withHeaders(good, headers),
      is: [400, 'bad-request'],
      issues,
    }),
  );

const deposits = refusedHeaders(deposit, [
  ['no citizen', { 'citizen-id': undefined }, 'header citizen-id required'],
  ['no title', { 'document-title': undefined }, 'header document-title required'],
  ['no media type', { 'content-type': undefined }, 'header content-type required'],
  ['an empty title', { 'document-title': '' }, 'header document-title too-short'],
  ['a title in raw Latin letters', { 'document-title': 'Zzyxwtitle é' }, 'header document-title malformed'],
  ['a title that is badly encoded', { 'document-title': 'Zzyxwtitle%E9' }, 'header document-title malformed'],
  ['U+0000 in the title', { 'document-title': 'Zzyxwtitle%00' }, 'header document-title malformed'],
  [
    'a title of 201 characters',
    { 'document-title': 'é'.repeat(201) && '%C3%A9'.repeat(201) },
    'header document-title malformed',
  ],
  ['a kind with capitals', { 'document-kind': 'Permit' }, 'header document-kind malformed'],
  ['a digest that is none', { 'repr-digest': 'sha-256=abc' }, 'header repr-digest malformed'],
  [
    'a day that no calendar has',
    { 'document-issued-at': '2026-02-30T00:00:00Z' },
    'header document-issued-at malformed',
  ],
  [
    'an end that is over',
    { 'document-retain-until': '2020-01-01T00:00:00Z' },
    'header document-retain-until out-of-range',
  ],
  ['a purpose that is badly encoded', { purpose: 'Zzyxwpurpose%zz' }, 'header purpose malformed'],
]);

const contents: readonly WrongInput[] = [
  ['bytes of another type', { 'content-type': 'image/png' }],
  ['another digest', { 'repr-digest': `sha-256=:${Buffer.alloc(32).toString('base64')}:` }],
].map(
  ([what, headers]): WrongInput => ({
    what: String(what),
    on: deposit,
    make: (good) => withHeaders(good, headers as Readonly<Record<string, string>>),
    is: [400, 'content-mismatch'],
  }),
);

const bodies: readonly WrongInput[] = [
  {
    what: 'an empty document',
    on: deposit,
    make: (good) => withBody(withHeaders(good, { 'repr-digest': undefined }), ''),
    is: [400, 'content-mismatch'],
  },
  {
    what: 'a media type that is none',
    on: deposit,
    make: (good) => withHeaders(good, { 'content-type': 'pdf' }),
    is: [415, 'unsupported-media-type'],
    headers: { accept: /^application\/pdf, / },
  },
  {
    what: 'a media type that is not taken',
    on: deposit,
    make: (good) => withHeaders(good, { 'content-type': 'application/x-sh' }),
    is: [415, 'unsupported-media-type'],
    headers: { accept: /^application\/pdf, / },
  },
  {
    what: 'a coded document',
    on: deposit,
    make: (good) => withHeaders(good, { 'content-encoding': 'gzip' }),
    is: [415, 'unsupported-media-type'],
    headers: { accept: /^application\/pdf, / },
  },
  {
    what: 'a document of more than 100 MiB',
    on: deposit,
    make: (good) => withHeaders(good, { 'content-length': '104857601' }),
    is: [413, 'payload-too-large'],
    headers: { connection: 'close' },
  },
  {
    what: 'a citizen whom nobody knows',
    on: deposit,
    make: (good) => withHeaders(good, { 'citizen-id': marks.name }),
    is: [404, 'citizen-not-found'],
  },
];

const citizens: readonly WrongInput[] = [
  {
    what: 'a token in which no citizen is named',
    on: ['readOwnAccessLog', 'statePreferences', 'readPreferences', 'listInboxMessages', 'openInboxMessage'],
    make: (good) => good,
    is: [403, 'citizen-token-needed'],
  },
];

const cancellations: readonly WrongInput[] = [
  {
    what: 'a notification that has left',
    on: ['cancelNotification'],
    make: (good, { ids, left }) => atPath(good, (path) => path.replace(ids.notification, left)),
    is: [409, 'conflict'],
  },
];

const retrievals: readonly WrongInput[] = [
  {
    what: 'a range beyond its end',
    on: retrieve,
    make: (good) => withHeaders(good, { range: 'bytes=4711-' }),
    is: [416, 'range-not-satisfiable'],
    headers: { 'content-range': /^bytes \*\/\d+$/ },
  },
  {
    what: 'another ETag',
    on: [...retrieve, 'withdrawDocument'],
    make: (good) => withHeaders(good, { 'if-match': '"another"' }),
    is: [412, 'precondition-failed'],
  },
  {
    what: 'an Accept that neither the document nor its record meets',
    on: retrieve,
    make: (good) => withHeaders(good, { accept: 'image/png' }),
    is: [406, 'not-acceptable'],
  },
  ...refusedHeaders(retrieve, [
    ['a purpose that is badly encoded', { purpose: 'Zzyxwpurpose%zz' }, 'header purpose malformed'],
    ['a purpose of 2,401 characters', { purpose: 'p'.repeat(2_401) }, 'header purpose too-long'],
  ]),
];

/** What is wrong with an id, a query or a header of one operation. */
export const wrongDetails: readonly WrongInput[] = [
  ...[...ids, ...longIds, ...claims, ...tooFew, ...notifications],
  ...[...feed, ...records, ...deposits, ...contents, ...bodies, ...cancellations, ...citizens, ...retrievals],
];
