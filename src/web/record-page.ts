import type { BufferedResponse } from '../api/buffered-response.ts';
import { changeCitizenLock } from '../identity/change-citizen-lock.ts';
import { type OwnRecord, readOwnRecord } from '../identity/read-own-record.ts';
import { type ClaimName, claimKindOf, claimNames, splitNationalities } from '../identity/register/claims.ts';
import type { FormerAddress, FormerName } from '../identity/register/register.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { formatDateText } from '../locales/date-format.ts';
import { type CitizenLayout, renderLayout } from './citizen-layout.ts';
import { type CitizenRequest, readJson } from './citizen-operations.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { parseForm } from './contact-handlers.ts';
import { type Html, html, trustedHtml } from './html.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** Shows the register record of the citizen and the citizen lock; a POST sets or removes the lock. */
export async function handleRecord(visit: CitizenRequest): Promise<BufferedResponse | Refusal> {
  if (visit.request.method !== 'POST') return await showRecord(visit);
  const wanted = (await parseForm(visit.request))?.get('locked');
  if (wanted !== 'true' && wanted !== 'false') return await showRecord(visit);
  const answer = await visit.call(changeCitizenLock, visit.token, { json: { locked: wanted === 'true' } });
  // The redirect prevents that a reload repeats the action.
  if (!('slug' in answer)) return { status: 303, headers: { location: `${citizenPaths.record}#lock` }, body: '' };
  if (answer.slug === 'too-many-unlocks') return await showRecord(visit, true);
  return answer.slug === 'citizen-not-found' ? await showRecord(visit) : answer;
}

async function showRecord(visit: CitizenRequest, tooMany = false): Promise<BufferedResponse | Refusal> {
  const answer = await readJson<OwnRecord>(visit, readOwnRecord);
  if ('json' in answer) return recordPage(visit.view, answer.json, tooMany);
  return answer.slug === 'citizen-not-found' ? recordPage(visit.view, undefined) : answer;
}

/** `record` is undefined if the citizen has none. `tooMany`: the citizen lock cannot be removed again today. */
function recordPage(frame: CitizenLayout, record: OwnRecord | undefined, tooMany = false): BufferedResponse {
  const { record: words, nav } = frame.words;
  const content =
    record === undefined
      ? html`<p>${words.none}</p>${correctionLink(frame)}`
      : html`<p>${words.intro}</p>
        ${(['underReview', 'locked', 'deceased'] as const).map((mark) =>
          record[mark] ? html`<p class="note">${words.marks[mark]}</p>` : '',
        )}
        <dl class="summary">${recordRows(frame.words, record).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
        <p>${words.wrong}</p>${correctionLink(frame)}${lockForm(words, record, tooMany)}`;
  return renderLayout(frame, { title: nav.record, content, current: 'record', status: tooMany ? 429 : 200 });
}

/** The citizen lock with the button that sets or removes it; nothing if this server has no such lock. */
function lockForm({ lock }: CitizenTexts['record'], { ownLock: citizenLock }: OwnRecord, tooMany: boolean): Html | '' {
  if (citizenLock === null) return '';
  return html`<h2 id="lock">${lock.title}</h2>
    ${tooMany ? html`<p class="note" role="alert">${lock.tooMany}</p>` : ''}
    <p${citizenLock ? trustedHtml(' class="note"') : ''}>${citizenLock ? lock.on : lock.off}</p><p>${lock.notified}</p>
    <form method="post" action="${citizenPaths.record}">
      <input type="hidden" name="locked" value="${String(!citizenLock)}" />
      <p><button type="submit">${citizenLock ? lock.lift : lock.set}</button></p>
    </form>`;
}

/** The link to the operator's page about corrections. */
export function correctionLink({ words, corrections }: CitizenLayout): Html | '' {
  return corrections === undefined ? '' : html`<p><a href="${corrections}">${words.record.corrections}</a></p>`;
}

type NamedValue = readonly [name: string, value: Html];

/**
 * Shows the values as in the register, because a different spelling can be the reason for a mismatch. Only dates and the codes of
 * countries and languages become words.
 */
function recordRows(words: CitizenTexts, record: OwnRecord): NamedValue[] {
  const { record: own, uses, language } = words;
  const named = (name: string) => name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
  const valued = (value: string | null): Html =>
    value === null ? html`${uses.findings.not_available}` : html`<bdi>${value}</bdi>`;
  const claims = claimNames.map((claim) => {
    const value = record[claim];
    return [named(uses.claims[claim]), valued(value === null ? null : readableValue(language, claim, value))] as const;
  });
  const { email, phone, language: spoken } = record;
  return [
    ...claims,
    ...record.formerNames.map((name) => [own.formerName, formerNameText(language, name)] as const),
    ...record.formerAddresses.map((address) => [own.formerAddress, formerAddressText(language, address)] as const),
    [named(own.email), valued(email)],
    [named(own.phone), valued(phone)],
    [named(own.language), valued(spoken === null ? null : displayName(language, 'language', spoken))],
  ];
}

function readableValue(language: string, claim: ClaimName, value: string): string {
  switch (claimKindOf(claim)) {
    case 'date':
      return formatDateText(language, value);
    case 'nations':
      return splitNationalities(value)
        .map((nation) => displayName(language, 'region', nation))
        .join(', ');
    default:
      return claim === 'country' ? displayName(language, 'region', value) : value;
  }
}

function formerNameText(language: string, { givenName, familyName, from, until }: FormerName): Html {
  const name = [givenName, familyName].filter((part) => part !== undefined).join(' ');
  return html`<bdi>${name}</bdi>${periodText(language, from, until)}`;
}

function formerAddressText(language: string, address: FormerAddress): Html {
  const { streetAddress, postalCode, locality, country, from, until } = address;
  const town = [postalCode, locality].filter((part) => part !== undefined).join(' ');
  const lines = [streetAddress, town, country === undefined ? '' : displayName(language, 'region', country)];
  const shown = lines.filter((line) => line !== undefined && line !== '').map((line) => html`<bdi>${line}</bdi><br />`);
  return html`${shown}${periodText(language, from, until)}`;
}

function periodText(language: string, from = '', until = ''): Html | '' {
  if (from === '' && until === '') return '';
  const [start, end] = [from, until].map((day) => formatDateText(language, day));
  return html` (<bdi>${start} – ${end}</bdi>)`;
}

/** The name of a country or language. A value that is no code stays as the import wrote it. */
function displayName(language: string, type: 'language' | 'region', code: string): string {
  try {
    return new Intl.DisplayNames(language, { type }).of(code) ?? code;
  } catch {
    return code;
  }
}
