import { operatorCode } from '../../audit/access-log-filter.ts';
import { formatDay } from '../../locales/date-format.ts';
import { formatMessage } from '../../locales/message-format.ts';
import { dayElement, minuteElement } from '../citizen-layout.ts';
import { successBanner } from '../form-parts.ts';
import { type Html, html } from '../html.ts';
import { staffPaths } from './staff-area.ts';
import { capitalised } from './staff-fields.ts';
import { renderStaffPage, type StaffVisit } from './staff-page.ts';
import { channelText, type Hit, type HitMessage, nextText, stateText, useText } from './timeline-words.ts';

/** The address of a found person: the look-up, and the position among its hits. It has no personal data. */
export type PersonAddress = { readonly lookUp: string; readonly position: number };

/** The kinds of acts on a person or on one of their messages. */
export const actNames = ['letter', 'returned', 'unlock', 'release'] as const;
export type ActName = (typeof actNames)[number];

/** The path of a found person. */
export function personPath({ lookUp, position }: PersonAddress): string {
  return `${staffPaths.person}/${lookUp}/${position}`;
}

/** The path of the form of an act. `subject`: the id of the message or hold; `citizen` for the person. */
export function actPath(address: PersonAddress, act: ActName, subject: string): string {
  return `${personPath(address)}/${act}/${subject}`;
}

type PersonView = { readonly hit: Hit; readonly address: PersonAddress; readonly done: ActName | undefined };

/** The page of a person: messages, channels, locks, holds and the last uses of their data. */
export function personPage(visit: StaffVisit, view: PersonView) {
  const { texts } = visit;
  const { hit, done } = view;
  const banner = done === undefined ? '' : successBanner(texts.acts[done].done);
  const dead = hit.deceased ? html`<p class="notice">${texts.person.deceased}</p>` : '';
  const number = capitalised(visit.layout.words, visit.layout.words.uses.claims.citizenId);
  const content = html`${banner}<p>${number}: <bdi>${hit.citizenId}</bdi></p>${dead}<h2>${texts.person.messages}</h2>${messages(visit, view)}
    <h2>${texts.person.reach}</h2>${channels(visit, hit)}
    <h2>${texts.person.locks}</h2>${locks(visit, view)}
    <h2>${texts.person.uses}</h2>${uses(visit, hit)}
    <p><a href="${staffPaths.person}">${texts.person.another}</a></p>`;
  return renderStaffPage(visit, { title: texts.person.title, content, section: 'person' });
}

function messages(visit: StaffVisit, { hit, address }: PersonView): Html {
  if (hit.messages.length === 0) return html`<p>${visit.texts.person.noMessages}</p>`;
  return html`${hit.messages.map((message) => messageCard(visit, message, address))}`;
}

function messageCard(visit: StaffVisit, message: HitMessage, address: PersonAddress): Html {
  const { layout, texts } = visit;
  const { words } = layout;
  const { person } = texts;
  const day = formatDay(words.language, Date.parse(message.createdAt), words.timeZone);
  const service = `\u2068${message.service.name}\u2069`;
  const row = (name: string, value: Html | string) => html`<dt>${name}</dt><dd>${value}</dd>`;
  return html`<article class="card"><h3>${formatMessage(words.language, person.noSubject, { service, day })}</h3>
      <dl class="summary">${row(person.id, html`<bdi>${message.id}</bdi>`)}
        ${message.reference === null ? '' : row(words.messages.reference, html`<bdi>${message.reference}</bdi>`)}
        ${row(words.messages.category, words.messages.categories[message.category])}
        ${row(person.state, stateText(visit, message))}
        ${message.deliveries.map((delivery) => row(channelText(words, delivery.channel), stateText(visit, delivery)))}
        ${row(person.next, nextText({ texts, words }, message))}</dl>
      <details><summary>${person.history}</summary><ol>${message.timeline.map((entry) => historyEntry(visit, entry))}</ol></details>
      ${messageActions(visit, message, address)}</article>`;
}

function historyEntry(visit: StaffVisit, { at, event, channel, reason }: HitMessage['timeline'][number]): Html {
  const { words } = visit.layout;
  const where = channel === undefined ? '' : `${channelText(words, channel)}: `;
  return html`<li>${minuteElement(words, at)}: ${where}${stateText(visit, { status: event, channel, reason })}</li>`;
}

/** The links to the acts that can succeed now. */
function messageActions(
  { texts, member }: StaffVisit,
  { id, status, deliveries }: HitMessage,
  address: PersonAddress,
): Html | '' {
  const { isWaiting, wasSent } = letterState({ deliveries });
  const acts: readonly ActName[] = [
    ...(isWaiting || wasSent || status === 'cancelled' || status === 'scheduled' ? [] : (['letter'] as const)),
    ...(wasSent ? (['returned'] as const) : []),
  ];
  const mayRead = member.scopes.includes('staff:send');
  if (acts.length === 0 && !mayRead) return '';
  const read = mayRead ? html`<a href="${staffPaths.read}?message=${id}">${texts.sections.read}</a>` : '';
  return html`<p class="actions">${acts.map((act) => html`<a href="${actPath(address, act, id)}">${texts.acts[act].open}</a> `)}${read}</p>`;
}

/** Whether a letter with the message is on its way to the printer, or was sent. */
export function letterState({ deliveries }: Pick<HitMessage, 'deliveries'>) {
  const letters = deliveries.filter(({ channel }) => channel === 'letter');
  const isWaiting = letters.some((one) => one.status === 'queued' || one.status === 'sending');
  const wasSent = letters.some((one) => one.status === 'sent' || one.status === 'unknown');
  return { isWaiting, wasSent };
}

function channels({ layout: { words }, texts: { person } }: StaffVisit, hit: Hit): Html {
  // Everybody has an inbox.
  const addresses = hit.channels.filter(({ channel }) => channel !== 'inbox');
  if (addresses.length === 0) return html`<p>${person.noReach}</p>`;
  return html`<dl class="summary">${addresses.map(({ channel, address, declined, verified }) => {
    const marks = [...(verified ? [person.confirmed] : []), ...(declined ? [person.declined] : [])];
    const shown = address === null ? '' : html`<bdi>${address}</bdi> `;
    return html`<dt>${channelText(words, channel)}</dt><dd>${shown}${marks.map((mark) => html`<span class="tag">${mark}</span> `)}</dd>`;
  })}</dl>`;
}

function locks(visit: StaffVisit, { hit, address }: PersonView): Html {
  const { layout, texts } = visit;
  const { person, acts } = texts;
  const { byCitizen, byStaff } = hit.locks;
  const link = (act: ActName, subject: string) =>
    html` <a href="${actPath(address, act, subject)}">${acts[act].open}</a>`;
  const items = [
    ...(byCitizen ? [html`<li>${person.lockedByCitizen}${link('unlock', 'citizen')}</li>`] : []),
    ...(byStaff ? [html`<li>${person.lockedByStaff}</li>`] : []),
    ...hit.holds.map(({ id, placedAt, ofService }) => {
      const day = formatDay(layout.words.language, Date.parse(placedAt), layout.words.timeZone);
      const text = formatMessage(layout.words.language, person.hold, { day });
      return html`<li>${text}${ofService ? link('release', id) : ''}</li>`;
    }),
  ];
  return items.length === 0 ? html`<p>${person.noLocks}</p>` : html`<ul>${items}</ul>`;
}

function uses({ layout, texts, nameOf }: StaffVisit, hit: Hit): Html {
  const { words } = layout;
  const { person } = texts;
  if (hit.uses.length === 0) return html`<p>${person.noUses}</p>`;
  return html`<p>${person.usesNote}</p><ul>${hit.uses.map(
    (use) =>
      html`<li>${dayElement(words, use.at)}, <bdi>${use.organisation ?? nameOf(operatorCode)}</bdi>: ${useText({ texts, words }, use)}</li>`,
  )}</ul>`;
}
