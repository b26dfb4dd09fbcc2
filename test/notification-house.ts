import { Readable } from 'node:stream';
import { createDispatch, type Gate } from '../src/api/dispatch.ts';
import { type Answer, type Operation, scopes } from '../src/api/operation.ts';
import type { Claim } from '../src/jobs/claim.ts';
import type { Clock } from '../src/kernel/clock.ts';
import { createMint } from '../src/kernel/id.ts';
import type { Refusal } from '../src/kernel/problem.ts';
import { systemRandom } from '../src/kernel/system-clock.ts';
import { rootKeyFrom } from '../src/keys/root-key.ts';
import { signingKeyFrom } from '../src/keys/signing-key.ts';
import { createCitizenKeys } from '../src/ledger/citizen-keys.ts';
import { createCommit } from '../src/ledger/commit.ts';
import { cancelNotification } from '../src/notifications/cancel-notification.ts';
import { type CascadePolicy, inboxAndEmail } from '../src/notifications/delivery/cascade.ts';
import type { EvidencePorts } from '../src/notifications/evidence/read-evidence.ts';
import type { InboxLink } from '../src/notifications/inbox/inbox-link.ts';
import { listNotifications } from '../src/notifications/list-notifications.ts';
import type { Contact, NotificationPorts, SenderOf, TryLetter } from '../src/notifications/ports.ts';
import { readNotification } from '../src/notifications/read-notification.ts';
import { sendNotification } from '../src/notifications/send-notification.ts';
import { findOwnTemplate } from '../src/notifications/templates/template-shape.ts';
import { createHostLook } from '../src/notifications/webhooks/host-look.ts';
import { resolveFor } from '../src/notifications/webhooks/resolve-host.ts';
import type { WebhookPorts } from '../src/notifications/webhooks/webhook-ports.ts';
import type { Db } from '../src/store/db.ts';

/** Every part of the product that notifications touch, over one database; only the caller's token is taken on trust. */
export type NotificationHouse = Awaited<ReturnType<typeof createNotificationHouse>>;

type AllPorts = NotificationPorts & WebhookPorts & EvidencePorts;
type Ask = { readonly clientId?: string; readonly key?: string; readonly citizenId?: string };
type Parts = {
  readonly params?: Record<string, string>;
  readonly query?: string;
  readonly body?: unknown;
};
type Given =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly json: Json }
  | { readonly refused: Refusal };

/** Puts the operations on a database, for these citizens, with the clock of the test. */
export async function createNotificationHouse(
  db: Db,
  clock: Clock,
  citizens: Readonly<Record<string, Contact>>,
  {
    cascade = inboxAndEmail,
    documents = {},
    tryLetter,
    inboxLink,
    senderOf = async () => ({ name: 'Tax Office' }),
  }: {
    cascade?: CascadePolicy;
    documents?: Record<string, string>;
    tryLetter?: TryLetter;
    inboxLink?: InboxLink;
    senderOf?: SenderOf;
  } = {},
) {
  const [random, mint] = [systemRandom, createMint(clock, systemRandom)];
  const citizenKeys = createCitizenKeys(db.read, rootKeyFrom(new Uint8Array(32).fill(7)), random);
  await db.write(citizenKeys.creations(Object.keys(citizens)));
  const commit = createCommit(db, citizenKeys, random);
  const claim: Claim = async (statement) => (await db.write([statement]))[0] ?? [];
  const contactOf = async (citizenId: string): Promise<Contact | undefined> => citizens[citizenId];
  const given = { contactOf, citizenKeys, random, cascade, tryLetter, inboxLink, senderOf };
  const ports = portsOf(given, { documents, read: db.read });

  // The bearer token names the client, and perhaps a citizen: who may call is tested elsewhere. Only `knowing …` may
  // learn who is in the register.
  const gate: Gate = {
    authenticate: async (authorization = '') => {
      const [clientId = '', citizenId] = authorization.split(' for ');
      const allowed = scopes.filter((scope) => scope !== 'citizens:known' || clientId.startsWith('knowing '));
      return { clientId, scopes: new Set<string>(allowed), ...(citizenId === undefined ? {} : { citizenId }) };
    },
    missingScope: () => ({ slug: 'missing-scope', detail: '' }),
    take: () => ({ headers: {} }),
  };
  const house = { gate, clock, mint, read: db.read, commit, ports, printKey: new Uint8Array(32) };
  const serve = (operation: Operation<AllPorts>) => {
    const dispatch = createDispatch(operation, house);
    return async (parts: Parts, { clientId = 'tax-office', key, citizenId }: Ask = {}): Promise<Given> => {
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
  const sending = serve(sendNotification);
  const reading = serve(readNotification);
  const listing = serve(listNotifications);
  const cancelling = serve(cancelNotification);

  /** Sends a message that must be accepted, and gives its id. */
  async function accept(body: Record<string, unknown>, ask?: Ask): Promise<string> {
    const answer = await sending({ body: { message: 'Hello.', ...body } }, ask);
    if ('refused' in answer) throw new Error(JSON.stringify(answer.refused));
    return String(answer.json['id']);
  }

  /** The notification as its sender reads it. */
  async function show(id: string, ask?: Ask): Promise<Json> {
    const answer = await reading({ params: { id } }, ask);
    if ('refused' in answer) throw new Error(JSON.stringify(answer.refused));
    return answer.json;
  }

  return {
    db,
    ports,
    serve,
    mint,
    random,
    commit,
    claim,
    citizenKeys,
    contactOf,
    accept,
    show,
    send: (body: unknown, ask?: Ask) => sending({ body }, ask),
    read: (id: string, ask?: Ask) => reading({ params: { id } }, ask),
    list: (query: string, ask?: Ask) => listing({ query }, ask),
    cancel: (id: string, ask?: Ask) => cancelling({ params: { id } }, ask),
    /** The kinds of events so far, in the order in which they were made. */
    events: async () => (await db.read('select type from ledger_event order by id')).map((row) => String(row['type'])),
  };
}

type GivenPorts = Pick<
  AllPorts,
  'contactOf' | 'citizenKeys' | 'random' | 'cascade' | 'tryLetter' | 'inboxLink' | 'senderOf'
>;

/** What the operations are given in tests: webhooks may go to this machine, and one key signs evidence. */
function portsOf(
  given: GivenPorts,
  { documents, read }: { readonly documents: Readonly<Record<string, string>>; readonly read: Db['read'] },
): AllPorts {
  const evidenceKey = signingKeyFrom('evidence', new Uint8Array(32).fill(9));
  return {
    ...given,
    attachmentTitle: async (id) => documents[id],
    templateOf: (text, clientId) => findOwnTemplate(read, text, clientId),
    webhookKey: new Uint8Array(32).fill(9),
    codeCountKey: new Uint8Array(32).fill(8),
    allowPrivateTargets: true,
    isPrivateHost: createHostLook({ resolve: resolveFor(true), allowPrivate: true }),
    evidenceKey: () => evidenceKey,
    evidenceIssuer: 'https://services.example.gov',
    calendar: { holidays: new Set() },
  };
}

/** An answer as the caller has it: what does not survive JSON is not in it. */
export type Json = Record<string, unknown>;

function jsonOf(answer: Answer): Json {
  if (!('json' in answer)) throw new Error('expected JSON');
  return JSON.parse(JSON.stringify(answer.json)) as Json;
}
