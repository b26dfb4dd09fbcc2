import { Readable } from 'node:stream';
import { createDispatch } from '../src/api/dispatch.ts';
import type { Answer, Operation } from '../src/api/operation.ts';
import type { Claim } from '../src/jobs/claim.ts';
import type { Clock } from '../src/kernel/clock.ts';
import { createMint } from '../src/kernel/id.ts';
import type { Refusal } from '../src/kernel/problem.ts';
import { systemRandom } from '../src/kernel/system-clock.ts';
import { rootKeyFrom } from '../src/keys/root-key.ts';
import { createCitizenKeys } from '../src/ledger/citizen-keys.ts';
import { createCommit } from '../src/ledger/commit.ts';
import { cancelNotification } from '../src/notifications/cancel-notification.ts';
import { listNotifications } from '../src/notifications/list-notifications.ts';
import type { Contact, NotificationPorts } from '../src/notifications/ports.ts';
import { readNotification } from '../src/notifications/read-notification.ts';
import { sendNotification } from '../src/notifications/send-notification.ts';
import type { Db } from '../src/store/db.ts';

/** Every part of the product that notifications touch, over one database; only the caller's token is taken on trust. */
export type NotificationHouse = Awaited<ReturnType<typeof createNotificationHouse>>;

type Ask = { readonly clientId?: string; readonly key?: string };

/** Puts the operations on a database, for these citizens, with the clock of the test. */
export async function createNotificationHouse(db: Db, clock: Clock, citizens: Readonly<Record<string, Contact>>) {
  const random = systemRandom;
  const mint = createMint(clock, random);
  const citizenKeys = createCitizenKeys(db.read, rootKeyFrom(new Uint8Array(32).fill(7)), random);
  await db.write(Object.keys(citizens).map((id) => citizenKeys.creation(id)));
  const commit = createCommit(db, citizenKeys, random);
  const claim: Claim = async (statement) => (await db.write([statement]))[0] ?? [];
  const contactOf = async (citizenId: string): Promise<Contact | undefined> => citizens[citizenId];
  const ports: NotificationPorts = { contactOf, citizenKeys, random };

  async function call(
    operation: Operation<NotificationPorts>,
    parts: { params?: Record<string, string>; query?: string; body?: unknown },
    { clientId = 'tax-office', key }: Ask = {},
  ): Promise<{ status: number; headers: Record<string, string>; json: Json } | { refused: Refusal }> {
    const caller = { clientId, scopes: new Set(['notifications:send', 'notifications:read']) };
    const gate = {
      authenticate: async () => caller,
      missingScope: (): Refusal => ({ slug: 'missing-scope', detail: '' }),
      take: () => ({ headers: {} }),
    };
    const dispatch = createDispatch(operation, { gate, clock, mint, read: db.read, commit, ports });
    const { result } = await dispatch({
      method: operation.method,
      params: parts.params ?? {},
      query: parts.query ?? '',
      headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) },
      body: Readable.from([Buffer.from(JSON.stringify(parts.body ?? {}))]),
      signal: new AbortController().signal,
    });
    if ('slug' in result) return { refused: result };
    return { status: result.status, headers: { ...result.headers }, json: jsonOf(result) };
  }

  /** Sends a message that must be accepted, and gives its id. */
  async function accept(body: Record<string, unknown>, ask?: Ask): Promise<string> {
    const answer = await call(sendNotification, { body: { message: 'Hello.', ...body } }, ask);
    if ('refused' in answer) throw new Error(JSON.stringify(answer.refused));
    return String(answer.json['id']);
  }

  /** The notification as its sender reads it. */
  async function show(id: string, ask?: Ask): Promise<Json> {
    const answer = await call(readNotification, { params: { id } }, ask);
    if ('refused' in answer) throw new Error(JSON.stringify(answer.refused));
    return answer.json;
  }

  return {
    db,
    mint,
    random,
    commit,
    claim,
    citizenKeys,
    contactOf,
    accept,
    show,
    send: (body: unknown, ask?: Ask) => call(sendNotification, { body }, ask),
    read: (id: string, ask?: Ask) => call(readNotification, { params: { id } }, ask),
    list: (query: string, ask?: Ask) => call(listNotifications, { query }, ask),
    cancel: (id: string, ask?: Ask) => call(cancelNotification, { params: { id } }, ask),
    /** The kinds of events so far, in the order in which they were made. */
    events: async () => (await db.read('select type from ledger_event order by id')).map((row) => String(row['type'])),
  };
}

/** An answer as the caller has it: what does not survive JSON is not in it. */
export type Json = Record<string, unknown>;

function jsonOf(answer: Answer): Json {
  if (!('json' in answer)) throw new Error('expected JSON');
  return JSON.parse(JSON.stringify(answer.json)) as Json;
}
