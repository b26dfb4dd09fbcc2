import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { type Authorizer, createDispatch } from '../../src/api/dispatch.ts';
import { bindOperation, type Operation, type OperationResponse, scopes } from '../../src/api/operation.ts';
import { createConcurrencyLimiter } from '../../src/auth/concurrency-limiter.ts';
import { rootKeyFromBytes } from '../../src/crypto/root-key.ts';
import { signingKeyFromSeed } from '../../src/crypto/signing-key.ts';
import type { Database } from '../../src/db/database.ts';
import { systemTimer } from '../../src/jobs/timer.ts';
import type { WriteWithoutEvent } from '../../src/jobs/write-without-event.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { createIdGenerator } from '../../src/kernel/id.ts';
import type { Refusal } from '../../src/kernel/refusal.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { createCitizenKeys } from '../../src/ledger/citizen-keys.ts';
import { createCommitter } from '../../src/ledger/commit.ts';
import { createHostResolver } from '../../src/net/resolve-host.ts';
import { cancelNotification } from '../../src/notifications/cancel-notification.ts';
import { type CascadePolicy, inboxAndEmailPolicy } from '../../src/notifications/cascade/cascade.ts';
import { createTemplate } from '../../src/notifications/create-template.ts';
import { createUrgentPriority } from '../../src/notifications/delivery/urgent-priority.ts';
import type { InboxLink } from '../../src/notifications/inbox/inbox-link.ts';
import type { CheckLetter } from '../../src/notifications/letters/check-letter.ts';
import { listNotifications } from '../../src/notifications/list-notifications.ts';
import { listTemplates } from '../../src/notifications/list-templates.ts';
import type { CitizenContact } from '../../src/notifications/notification/contact.ts';
import type { SenderOf } from '../../src/notifications/notification/sending-service.ts';
import { openInboxMessage } from '../../src/notifications/open-inbox-message.ts';
import type { NotificationPorts } from '../../src/notifications/ports.ts';
import { previewNotification } from '../../src/notifications/preview-notification.ts';
import type { EvidencePorts } from '../../src/notifications/read-evidence.ts';
import { readNotification } from '../../src/notifications/read-notification.ts';
import { readTemplate } from '../../src/notifications/read-template.ts';
import { removeTemplate } from '../../src/notifications/remove-template.ts';
import { sendNotification } from '../../src/notifications/send-notification.ts';
import { findOwnTemplate } from '../../src/notifications/templates/template-shape.ts';
import { createPostWebhookCall } from '../../src/notifications/webhooks/post-call.ts';
import { createPrivateHostCheck } from '../../src/notifications/webhooks/private-host-check.ts';
import type { WebhookPorts } from '../../src/notifications/webhooks/webhook-shape.ts';
import { emptyErasedList } from './empty-erased-list.ts';

/** Everything that notifications use, on one database. Only the token of the caller is not verified. */
export type NotificationApp = Awaited<ReturnType<typeof createNotificationApp>>;

type AllPorts = NotificationPorts & WebhookPorts & EvidencePorts;
type NotificationCaller = { readonly clientId?: string; readonly key?: string; readonly citizenId?: string };
type OperationInput = {
  readonly params?: Record<string, string>;
  readonly query?: string;
  readonly body?: unknown;
};
type OperationResult =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly json: JsonBody }
  | { readonly refused: Refusal };

/**
 * The bearer token is the client id, optionally with a citizen: other tests check access. Only clients named `knowing …` have the
 * scope citizens:known.
 */
const authorizer: Authorizer = {
  authenticate: async (authorization = '') => {
    const [clientId = '', citizenId] = authorization.split(' for ');
    const allowed = scopes.filter((scope) => scope !== 'citizens:known' || clientId.startsWith('knowing '));
    return { clientId, scopes: new Set<string>(allowed), ...(citizenId === undefined ? {} : { citizenId }) };
  },
  takeQuota: () => ({ headers: {} }),
};

/** Creates the app on a database with these citizens and the clock of the test. */
export async function createNotificationApp(
  db: Database,
  clock: Clock,
  citizens: Readonly<Record<string, CitizenContact>>,
  {
    cascade = inboxAndEmailPolicy,
    documents = {},
    checkLetter,
    inboxLink,
    senderOf = async () => ({ name: 'Tax Office' }),
  }: {
    cascade?: CascadePolicy;
    documents?: Record<string, string>;
    checkLetter?: CheckLetter;
    inboxLink?: InboxLink;
    senderOf?: SenderOf;
  } = {},
) {
  const random = systemRandom;
  const createId = createIdGenerator(clock, random);
  const citizenKeys = createCitizenKeys(db.read, rootKeyFromBytes(new Uint8Array(32).fill(7)), random);
  await db.write(citizenKeys.creationStatements(Object.keys(citizens)));
  const { commit, onCommitted } = createCommitter({ db, citizenKeys, random });
  const claim: WriteWithoutEvent = async (statement) => (await db.write([statement]))[0] ?? [];
  const contactOf = async (citizenId: string): Promise<CitizenContact | undefined> => citizens[citizenId];
  const portDeps = { contactOf, citizenKeys, random, cascade, checkLetter, inboxLink, senderOf };
  const ports = createPorts(portDeps, { documents, read: db.read });

  const context = { authorizer, clock, createId, read: db.read, commit, fingerprintKey: new Uint8Array(32) };
  const serve = (operation: Operation<AllPorts>) => {
    const dispatch = createDispatch(bindOperation(operation, ports), context);
    return async (
      parts: OperationInput,
      { clientId = 'tax-office', key, citizenId }: NotificationCaller = {},
    ): Promise<OperationResult> => {
      const { result } = await dispatch({
        method: operation.method,
        params: parts.params ?? {},
        query: parts.query ?? '',
        headers: {
          authorization: citizenId === undefined ? clientId : `${clientId} for ${citizenId}`,
          'content-type': 'application/json',
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        body: Readable.from([Buffer.from(JSON.stringify(parts.body ?? {}))]),
        signal: new AbortController().signal,
      });
      if ('slug' in result) return { refused: result };
      return { status: result.status, headers: { ...result.headers }, json: jsonOf(result) };
    };
  };
  const sendOperation = serve(sendNotification);
  const previewOperation = serve(previewNotification);
  const readOperation = serve(readNotification);
  const listOperation = serve(listNotifications);
  const cancelOperation = serve(cancelNotification);

  /** Sends a message that must be accepted, and returns its id. */
  async function accept(body: Record<string, unknown>, caller?: NotificationCaller): Promise<string> {
    const answer = await sendOperation({ body: { message: 'Hello.', ...body } }, caller);
    if ('refused' in answer) throw new Error(JSON.stringify(answer.refused));
    return String(answer.json['id']);
  }

  /** The notification as its sender reads it. */
  async function show(id: string, caller?: NotificationCaller): Promise<JsonBody> {
    const answer = await readOperation({ params: { id } }, caller);
    if ('refused' in answer) throw new Error(JSON.stringify(answer.refused));
    return answer.json;
  }

  return {
    db,
    ports,
    serve,
    createId,
    erasedList: emptyErasedList,
    random,
    commit,
    onCommitted,
    claim,
    citizenKeys,
    contactOf,
    accept,
    show,
    send: (body: unknown, caller?: NotificationCaller) => sendOperation({ body }, caller),
    preview: (body: unknown, caller?: NotificationCaller) => previewOperation({ body }, caller),
    read: (id: string, caller?: NotificationCaller) => readOperation({ params: { id } }, caller),
    list: (query: string, caller?: NotificationCaller) => listOperation({ query }, caller),
    cancel: (id: string, caller?: NotificationCaller) => cancelOperation({ params: { id } }, caller),
    /** The types of the ledger events so far, in the order of their creation. */
    events: async () => (await db.read('select type from ledger_event order by id')).map((row) => String(row['type'])),
  };
}

type PortDeps = Pick<
  AllPorts,
  'contactOf' | 'citizenKeys' | 'random' | 'cascade' | 'checkLetter' | 'inboxLink' | 'senderOf'
>;

/** The ports of the operations in tests: webhooks may reach loopback, and one fixed key signs evidence. */
function createPorts(
  portDeps: PortDeps,
  { documents, read }: { readonly documents: Readonly<Record<string, string>>; readonly read: Database['read'] },
): AllPorts {
  const evidenceKey = signingKeyFromSeed('evidence', new Uint8Array(32).fill(9));
  return {
    ...portDeps,
    attachmentTitle: async (id) => documents[id],
    templateOf: (text, clientId) => findOwnTemplate(read, text, clientId),
    webhookKey: new Uint8Array(32).fill(9),
    codeCountKey: new Uint8Array(32).fill(8),
    allowPrivateTargets: true,
    isPrivateHost: createPrivateHostCheck({ resolve: createHostResolver(true), allowPrivate: true }),
    post: createPostWebhookCall({ resolve: createHostResolver(true), allowPrivate: true, timeoutMs: 5_000 }),
    testSlots: createConcurrencyLimiter(2),
    evidenceKey: () => evidenceKey,
    evidenceIssuer: 'https://services.example.gov',
    calendar: { holidays: new Set() },
    urgentPriority: createUrgentPriority(systemClock, systemTimer),
  };
}

/** The JSON of an answer after serialisation. */
export type JsonBody = Record<string, unknown>;

function jsonOf(answer: OperationResponse): JsonBody {
  if (!('json' in answer)) throw new Error('expected JSON');
  return JSON.parse(JSON.stringify(answer.json)) as JsonBody;
}

/** The fixed time of the app. */
export const templateAppTimeMs = Date.UTC(2026, 0, 15, 9);
const citizens = {
  'cit-ada': { email: 'ada@example.org', language: 'nl' },
  'cit-jean': { email: 'jean@example.org', language: 'fr-CH' },
  'cit-eve': { email: 'eve@example.org', language: 'pl' },
  'cit-nobody-says': { email: 'x@example.org' },
};
/** A template in two languages. */
export const permitTemplate = {
  name: 'Permit ready',
  defaultLanguage: 'FR-be',
  texts: [
    { language: 'fr-BE', subject: 'Permis ((number))', message: 'Bonjour ((name)), le permis ((number)) est prêt.' },
    { language: 'nl-be', message: 'Dag ((name)), vergunning ((number)) ligt klaar.' },
  ],
};
/** The values of `permitTemplate`. */
export const values = { name: 'Ada', number: '118' };

/** The app with citizens of several languages and the operations on templates. */
export async function openTemplateApp(db: Database) {
  const app = await createNotificationApp(db, { now: () => templateAppTimeMs }, citizens);
  const [create, list, read, remove] = [
    app.serve(createTemplate),
    app.serve(listTemplates),
    app.serve(readTemplate),
    app.serve(removeTemplate),
  ];
  return {
    app,
    create,
    list,
    read,
    remove,
    make: async (body: object = permitTemplate, caller?: object) => {
      const answer = await create({ body }, caller);
      assert.ok('json' in answer, JSON.stringify(answer));
      return String(answer.json['id']);
    },
    opened: async (id: string, citizenId: string) => {
      const answer = await app.serve(openInboxMessage)({ params: { id } }, { citizenId });
      assert.ok('json' in answer, JSON.stringify(answer));
      const { language, message, subject } = answer.json;
      return { language, message, subject };
    },
  };
}

/** The pointers and codes of the issues in an answer. */
export const templateIssuesIn = (answer: object) =>
  ('refused' in answer ? (answer.refused as { issues?: { pointer?: string; code: string }[] }).issues : undefined)?.map(
    ({ pointer, code }) => `${pointer} ${code}`,
  );
