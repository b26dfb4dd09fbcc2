import { isObject } from '../../kernel/is-object.ts';
import { formatMessage } from '../../locales/message-format.ts';
import { dayElement } from '../citizen-layout.ts';
import { type Html, html } from '../html.ts';
import { textNamed } from '../usage-words.ts';
import { channelName } from './channel-name.ts';
import type { StaffVisit } from './staff-page.ts';

/** The name of an operation; of one without a text, its name in the interface. */
export function operationText({ texts }: Pick<StaffVisit, 'texts'>, operation: string): string {
  return textNamed(texts.operationNames, operation) ?? operation;
}

/** The members of two states in words, each with its value before and after. `id` makes the label unique in a list of such tables. */
export function changeTable(
  visit: Pick<StaffVisit, 'texts' | 'layout'>,
  { before, after, id }: { readonly before?: unknown; readonly after?: unknown; readonly id: string },
): Html | '' {
  const { proposals } = visit.texts;
  const [was, wanted] = [membersOf(before), membersOf(after)];
  const names = [...new Set([...Object.keys(was), ...Object.keys(wanted)])];
  if (names.length === 0) return '';
  const cell = (members: Readonly<Record<string, unknown>>, name: string) =>
    name in members ? valueText(visit, name, members[name]) : '–';
  return html`<div role="region" aria-label="${proposals.change}: ${id}" tabindex="0"><table>
      <thead><tr><th scope="col">${proposals.member}</th><th scope="col">${proposals.before}</th><th scope="col">${proposals.after}</th></tr></thead>
      <tbody>${names.map(
        (name) =>
          html`<tr><th scope="row">${memberLabel(visit, name)}</th><td>${cell(was, name)}</td><td>${cell(wanted, name)}</td></tr>`,
      )}</tbody></table></div>`;
}

/** Says what the scope `access-log:hide` permits, if a change gives it to a client. */
export function concealmentNote(
  { texts, layout, hiddenDays }: Pick<StaffVisit, 'texts' | 'layout' | 'hiddenDays'>,
  { before, after }: { readonly before?: unknown; readonly after?: unknown },
): Html | '' {
  const mayConceal = (state: unknown) => {
    const { scopes } = membersOf(state);
    return Array.isArray(scopes) && scopes.includes('access-log:hide');
  };
  if (mayConceal(before) || !mayConceal(after)) return '';
  const text = formatMessage(layout.words.language, texts.proposals.concealment, { days: hiddenDays });
  return html`<p class="notice">${text}</p>`;
}

function memberLabel({ texts, layout }: Pick<StaffVisit, 'texts' | 'layout'>, name: string): string {
  const { proposals, queues, clients, sections, batches, send } = texts;
  const others: Readonly<Record<string, string>> = {
    channel: layout.words.uses.labels.channel,
    notification: layout.words.uses.labels.message,
    paused: queues.paused,
    state: clients.state,
    status: clients.state,
    template: send.template,
    rows: batches.counts.rows,
    messages: batches.counts.good,
    textMessages: channelName({ texts, layout }, 'sms'),
    letters: channelName({ texts, layout }, 'letter'),
    disabledAt: clients.disabled,
    proposed: sections.proposals,
    refused: proposals.statuses.refused,
  };
  return textNamed(proposals.members, name) ?? others[name] ?? name;
}

function membersOf(state: unknown): Readonly<Record<string, unknown>> {
  return isObject(state) ? state : {};
}

/** `null` means that any value is permitted (`changeClient`), or that there is no date yet (`disableClient`). */
function valueText(visit: Pick<StaffVisit, 'texts' | 'layout'>, name: string, value: unknown): Html {
  const { texts, layout } = visit;
  const { proposals, clients } = texts;
  if (value === null || value === undefined) return html`${name.endsWith('At') ? proposals.no : proposals.any}`;
  if (typeof value === 'boolean') return html`${value ? proposals.yes : proposals.no}`;
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return dayElement(layout.words, value);
  if (typeof value === 'string' && name === 'channel') return html`${channelName(visit, value)}`;
  if (typeof value === 'string' && name === 'proposed') return html`${operationText(visit, value)}`;
  if (name === 'state' && typeof value === 'string') return html`${textNamed(texts.batches.states, value) ?? value}`;
  if (name === 'kind') return html`${textNamed(clients.kinds, value) ?? String(value)}`;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return html`<bdi>${value.length === 0 ? '–' : value.join(', ')}</bdi>`;
  return typeof value === 'string' || typeof value === 'number'
    ? html`<bdi>${value}</bdi>`
    : html`<code dir="ltr">${JSON.stringify(value)}</code>`;
}
