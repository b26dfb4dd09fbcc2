import { parseId } from '../kernel/id.ts';
import { at } from './json-pointer.ts';
import type { LateWord, SpokenOf } from './learn-late.ts';
import { jsonOf, membersOf, pointerOf, wordsOf } from './mapping-file.ts';
import type { ReasonCode } from './reason.ts';

/**
 * How a mail provider tells what became of mails. Places are JSON pointers (RFC 6901): `events` to the list in the body
 * (without it the body is the list, or one event), the others within one event.
 */
export type MailEvents = {
  readonly events?: string;
  /** Where our mark stands: the Message-ID, the envelope sender, or the value of the header Message-ID of ours. */
  readonly mail: string;
  readonly word: string;
  readonly delivered: readonly string[];
  readonly bounced: readonly string[];
  readonly full: readonly string[];
  readonly refused: readonly string[];
};

const places = ['events', 'mail', 'word'] as const;
const lists = ['delivered', 'bounced', 'full', 'refused'] as const;

/** The mapping in a file of the operator; throws with what is wrong about it. */
export function parseMailEvents(text: string): MailEvents {
  const given = membersOf(jsonOf(text), '', [...places, ...lists]);
  const place = (name: (typeof places)[number]) => pointerOf(given[name], name);
  const words = (name: (typeof lists)[number]) => wordsOf(given[name], name);
  const mapping = { delivered: words('delivered'), bounced: words('bounced'), full: words('full') };
  const all = { ...mapping, refused: words('refused'), mail: place('mail'), word: place('word') };
  if (lists.every((name) => all[name].length === 0)) throw new TypeError('expected words in one list at least');
  return given['events'] === undefined ? all : { ...all, events: place('events') };
}

/** What the provider says of mails of ours; what it says of others, and words that are in no list, are left out. */
export function mailWords(mapping: MailEvents, body: unknown): LateWord[] {
  const found = mapping.events === undefined ? body : at(body, mapping.events);
  const events: readonly unknown[] = Array.isArray(found) ? found : [found];
  return events.flatMap((event) => wordOf(mapping, event) ?? []);
}

function wordOf(mapping: MailEvents, event: unknown): LateWord | undefined {
  const attempt = attemptOf(at(event, mapping.mail));
  if (attempt === undefined) return undefined;
  const word = String(at(event, mapping.word) ?? '');
  if (mapping.delivered.includes(word)) return { ...attempt, ended: 'delivered' };
  const failures: ReadonlyArray<readonly [readonly string[], ReasonCode]> = [
    [mapping.bounced, 'address-refused'],
    [mapping.full, 'mailbox-full'],
    [mapping.refused, 'message-refused'],
  ];
  const reason = failures.find(([words]) => words.includes(word))?.[1];
  return reason === undefined ? undefined : { ...attempt, ended: 'failed', reason };
}

/** The attempt in a Message-ID or an envelope sender of ours; letters of either case, as providers fold them. */
function attemptOf(mark: unknown): SpokenOf | undefined {
  const [, id = '', attempt] =
    /(?:^|[<+])dlv_(\w{26})\.(\d{1,6})(?=[@-])/i.exec(typeof mark === 'string' ? mark : '') ?? [];
  const delivery = parseId('delivery', `dlv_${id.toUpperCase()}`);
  return delivery === undefined ? undefined : { delivery, attempt: Number(attempt) };
}
