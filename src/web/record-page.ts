import type { BufferedResponse } from '../api/buffered-response.ts';
import { changeCitizenLock } from '../identity/change-citizen-lock.ts';
import { type OwnRecord, readOwnRecord } from '../identity/read-own-record.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { type CitizenLayout, renderLayout } from './citizen-layout.ts';
import { type CitizenRequest, readJson } from './citizen-operations.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { parseForm } from './contact-handlers.ts';
import { type Html, html, trustedHtml } from './html.ts';
import { recordRows } from './record-values.ts';
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
