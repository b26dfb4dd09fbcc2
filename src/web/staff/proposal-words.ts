import { isObject } from '../../kernel/is-object.ts';
import { formatMessage } from '../../locales/message-format.ts';
import { dayElement } from '../citizen-layout.ts';
import { type Html, html } from '../html.ts';
import { textNamed } from '../usage-words.ts';
import { channelName } from './channel-name.ts';
import type { StaffVisit } from './staff-page.ts';

type Words = Pick<StaffVisit, 'texts' | 'layout'>;
type Members = Readonly<Record<string, unknown>>;

const noValue = '–';

/** The name of an operation; of one without a text, its name in the interface. */
export function operationText({ texts }: Pick<StaffVisit, 'texts'>, operation: string): string {
  return textNamed(texts.operationNames, operation) ?? operation;
}

/** The members of two states as entries of a list. A member that both states have has two values; one that does not change has one. */
export function changeEntries(
  visit: Words,
  states: { readonly before?: unknown; readonly after?: unknown },
): readonly Html[] {
  const { proposals } = visit.texts;
  const [was, wanted] = [membersOf(states.before), membersOf(states.after)];
  const names = [...new Set([...Object.keys(was), ...Object.keys(wanted)])].filter((name) =>
    isShown(name, was, wanted),
  );
  const values = (name: string) => {
    const text = (members: Members) => valueText(visit, name, members[name]);
    if (!(name in was)) return html`<dd>${text(wanted)}</dd>`;
    if (!(name in wanted) || isSame(was[name], wanted[name])) return html`<dd>${text(was)}</dd>`;
    return html`<dd>${proposals.before}: ${text(was)}</dd><dd>${proposals.after}: ${text(wanted)}</dd>`;
  };
  return names.map((name) => html`<dt>${memberLabel(visit, name)}</dt>${values(name)}`);
}

/** Says what the scope `access-log:hide` permits, if a change gives it to a client. */
export function concealmentNote(
  { texts, layout, hiddenDays }: Pick<StaffVisit, 'texts' | 'layout' | 'hiddenDays'>,
  states: { readonly before?: unknown; readonly after?: unknown },
): Html | '' {
  const mayConceal = (state: unknown) => {
    const { scopes } = membersOf(state);
    return Array.isArray(scopes) && scopes.includes('access-log:hide');
  };
  if (mayConceal(states.before) || !mayConceal(states.after)) return '';
  const text = formatMessage(layout.words.language, texts.proposals.concealment, { days: hiddenDays });
  return html`<p class="notice">${text}</p>`;
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** `exists` and `erased` are false before every creation and erasure, so these values tell the reader nothing. */
const isShown = (name: string, was: Members, wanted: Members) =>
  (name !== 'exists' && name !== 'erased') || was[name] !== false || name in wanted;

function memberLabel({ texts, layout }: Words, name: string): string {
  const { proposals, queues, clients, audit, sections, send, batches, ownService } = texts;
  const { channel, message } = layout.words.uses.labels;
  const others: Readonly<Record<string, string>> = {
    channel,
    channels: channel,
    paused: queues.paused,
    disabledAt: clients.disabled,
    proposed: audit.operation,
    refused: batches.counts.refused,
    state: clients.state,
    status: clients.state,
    rows: batches.counts.rows,
    messages: batches.counts.good,
    batch: sections.batches,
    template: send.template,
    removed: send.template,
    notification: message,
    textMessages: channelName({ texts, layout }, 'sms'),
    letters: channelName({ texts, layout }, 'letter'),
    letter: layout.words.uses.channels.letter,
    waiting: ownService.webhook.waiting,
    dead: ownService.webhook.failed,
  };
  return textNamed(proposals.members, name) ?? others[name] ?? name;
}

function membersOf(state: unknown): Members {
  return isObject(state) ? state : {};
}

/** Members in which `null` means that any value is permitted. */
const openMembers: readonly string[] = ['purposes', 'legalBases', 'policy'];

/** `null` also means that there is no date yet (`disableClient`), or no value. */
function valueText(visit: Words, name: string, value: unknown): Html {
  const { texts, layout } = visit;
  const { proposals } = texts;
  if (value === null || value === undefined)
    return html`${openMembers.includes(name) ? proposals.any : name.endsWith('At') ? proposals.no : noValue}`;
  if (typeof value === 'boolean') return html`${value ? proposals.yes : proposals.no}`;
  if (typeof value === 'number') return html`${new Intl.NumberFormat(layout.words.language).format(value)}`;
  if (typeof value === 'string') return stringText(visit, name, value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    const words = name === 'channels' ? value.map((one) => channelName(visit, one)) : value;
    return html`<bdi>${words.length === 0 ? noValue : words.join(', ')}</bdi>`;
  }
  return html`<code dir="ltr">${JSON.stringify(value)}</code>`;
}

function stringText(visit: Words, name: string, value: string): Html {
  const { texts, layout } = visit;
  const { person } = texts;
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return dayElement(layout.words, value);
  const ways = {
    notificationId: person.byMessage,
    messageReference: person.byMessage,
    citizenId: person.byNumber,
    claims: person.byDetails,
  };
  const words: Readonly<Record<string, object>> = {
    kind: texts.clients.kinds,
    state: texts.batches.states,
    status: {
      ...texts.messageStates,
      refused: texts.proposals.statuses.refused,
      active: texts.ownService.webhook.active,
      disabled: texts.clients.disabled,
    },
    letter: { ...texts.messageStates, returned: texts.deliveryReasons['letter-returned'] },
    by: ways,
  };
  if (name === 'channel') return html`${channelName(visit, value)}`;
  if (name === 'proposed') return html`${operationText(visit, value)}`;
  const text = textNamed(words[name] ?? {}, value);
  return text === undefined ? html`<bdi>${value}</bdi>` : html`${text}`;
}
