import { parseId } from '../../kernel/id.ts';
import { isObject } from '../../kernel/is-object.ts';
import { textAtPointer, valueAtPointer } from '../../kernel/json-pointer.ts';
import type { LateReport, ReportedDelivery } from '../delivery/apply-late-report.ts';
import type { ReasonCode } from '../notification/reason.ts';
import { parseMappingJson, parseMembers, parsePointer, parseWords } from './mapping-file.ts';
import { parseProviderJson } from './provider-json.ts';

/**
 * How a mail provider tells what became of mails. Places are JSON pointers (RFC 6901): `events` to the list in the body
 * (without it the body is the list, or one event), `mail` and `word` within one event.
 */
export type MailEventMapping = {
  /** Headers of each mail by which the provider shall know it: `{id}` is our Message-ID without its brackets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the body has an address that the operator has to open before the provider calls back. */
  readonly confirm?: string;
  /** Where the body has a text that is JSON itself; what it says is then the body. */
  readonly json?: string;
  readonly events?: string;
  /** Where our mark stands: the Message-ID, the envelope sender, or what `headers` gave the provider. */
  readonly mail: string;
  /** Where its words are; the first one that is in a list counts. */
  readonly word: readonly string[];
} & Readonly<Record<(typeof statusLists)[number], readonly string[]>>;

const optionalPointers = ['confirm', 'json', 'events'] as const;
const statusLists = ['delivered', 'bounced', 'full', 'unreachable', 'refused'] as const;

/** The mapping in a file of the operator; throws with what is wrong about it. */
export function parseMailEvents(text: string): MailEventMapping {
  const given = parseMembers(parseMappingJson(text), '', [
    'headers',
    ...optionalPointers,
    'mail',
    'word',
    ...statusLists,
  ]);
  const words = (name: (typeof statusLists)[number]) => parseWords(given[name], name);
  const mapping: { -readonly [Name in keyof MailEventMapping]: MailEventMapping[Name] } = {
    ...{
      headers: parseHeaders(given['headers']),
      mail: parsePointer(given['mail'], 'mail'),
      word: parseWordPointers(given['word']),
    },
    ...{ delivered: words('delivered'), bounced: words('bounced'), full: words('full') },
    ...{ unreachable: words('unreachable'), refused: words('refused') },
  };
  if (statusLists.every((name) => mapping[name].length === 0))
    throw new TypeError('expected words in one list at least');
  for (const name of optionalPointers) if (given[name] !== undefined) mapping[name] = parsePointer(given[name], name);
  return mapping;
}

function parseWordPointers(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [parsePointer(value, 'word')];
  if (value.length === 0) throw new TypeError('word: expected a place or more');
  return value.map((place) => parsePointer(place, 'word'));
}

/** Of our own headers none can be replaced: providers' begin with X-. */
function parseHeaders(value: unknown = {}): Readonly<Record<string, string>> {
  if (!isObject(value)) throw new TypeError('headers: expected a JSON object');
  for (const [name, line] of Object.entries(value)) {
    const isLine = typeof line === 'string' && /^[\x20-\x7e]{1,500}$/.test(line);
    if (!isLine || !/^x-[a-z\d-]{1,60}$/i.test(name))
      throw new TypeError(`headers: expected a name as X-Mark and one line of ASCII, ${JSON.stringify(name)} is none`);
  }
  // Each was just seen to be text.
  return value as Record<string, string>;
}

/** The address that the operator has to open before the provider calls back, where the body is about that. */
export function confirmationUrlIn({ confirm }: MailEventMapping, body: unknown): string | undefined {
  const address = confirm === undefined ? undefined : valueAtPointer(body, confirm);
  return typeof address === 'string' && /^https:\/\/[\x21-\x7e]{1,2000}$/.test(address) ? address : undefined;
}

/**
 * What the provider says of mails of ours; what it says of others, and words that are in no list, are left out. Undefined
 * where the text that should be JSON is none.
 */
export function lateReportsInMailEvents(mapping: MailEventMapping, given: unknown): LateReport[] | undefined {
  const body = mapping.json === undefined ? given : parseProviderJson(textAtPointer(given, mapping.json));
  if (body === undefined) return undefined;
  const found = mapping.events === undefined ? body : valueAtPointer(body, mapping.events);
  const events: readonly unknown[] = Array.isArray(found) ? found : [found];
  return events.flatMap((event) => reportOf(mapping, event) ?? []);
}

function reportOf(mapping: MailEventMapping, event: unknown): LateReport | undefined {
  const attempt = reportedAttemptOf(valueAtPointer(event, mapping.mail));
  if (attempt === undefined) return undefined;
  const words = mapping.word.map((place) => textAtPointer(event, place));
  const word = words.find((one) => statusLists.some((name) => mapping[name].includes(one)));
  if (word === undefined) return undefined;
  if (mapping.delivered.includes(word)) return { ...attempt, ended: 'delivered' };
  const failures: ReadonlyArray<readonly [readonly string[], ReasonCode]> = [
    [mapping.bounced, 'address-refused'],
    [mapping.full, 'mailbox-full'],
    [mapping.unreachable, 'destination-unreachable'],
    [mapping.refused, 'message-refused'],
  ];
  const reason = failures.find(([words]) => words.includes(word))?.[1];
  return reason === undefined ? undefined : { ...attempt, ended: 'failed', reason };
}

/** The attempt in a Message-ID or an envelope sender of ours; letters of either case, as providers fold them. */
function reportedAttemptOf(value: unknown): ReportedDelivery | undefined {
  const [, id = '', attempt] =
    /(?:^|[<+])dlv_(\w{26})\.(\d{1,6})(?=[@-])/i.exec(typeof value === 'string' ? value : '') ?? [];
  const delivery = parseId('delivery', `dlv_${id.toUpperCase()}`);
  return delivery === undefined ? undefined : { delivery, attempt: Number(attempt) };
}
