import type { BufferedResponse } from '../api/buffered-response.ts';
import { type OwnRecord, readOwnRecord } from '../identity/read-own-record.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { requestQuery } from '../kernel/request-target.ts';
import { type CitizenLayout, renderLayout } from './citizen-layout.ts';
import { type CitizenRequest, readJson } from './citizen-operations.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { successBanner } from './form-parts.ts';
import { type Html, html, trustedHtml } from './html.ts';
import { recordRows } from './record-values.ts';
import { citizenPaths } from './sign-in-flow.ts';
import { walletSection } from './wallet-link-page.ts';

/** Shows the register record of the citizen, the citizen lock and the linked wallets. */
export async function handleRecord(visit: CitizenRequest): Promise<BufferedResponse | Refusal> {
  const done = new URLSearchParams(requestQuery(visit.request.url)).get('done');
  const answer = await readJson<OwnRecord>(visit, readOwnRecord);
  if ('json' in answer) return recordPage(visit.view, answer.json, done);
  return answer.slug === 'citizen-not-found' ? recordPage(visit.view, undefined, done) : answer;
}

/** `record` is undefined if the citizen has none. `done` names the change that the redirect reports. */
function recordPage(frame: CitizenLayout, record: OwnRecord | undefined, done: string | null): BufferedResponse {
  const { record: words, nav } = frame.words;
  const content =
    record === undefined
      ? html`<p>${words.none}</p>${correctionLink(frame)}`
      : html`${doneBanner(words, record, done)}<p>${words.intro}</p>
        ${(['underReview', 'locked', 'deceased'] as const).map((mark) =>
          record[mark] ? html`<p class="note">${words.marks[mark]}</p>` : '',
        )}
        <dl class="summary">${recordRows(frame.words, record).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
        <p>${words.wrong}</p>${correctionLink(frame)}${lockSection(words, record)}${walletSection(frame.words, record)}`;
  return renderLayout(frame, { title: nav.record, content, current: 'record' });
}

/** The success message, if the record is still as the redirect reports it. */
function doneBanner(
  { lock, wallet }: CitizenTexts['record'],
  { ownLock, walletLinks }: OwnRecord,
  done: string | null,
): Html | '' {
  if (done === 'unlinked' && walletLinks.length === 0) return successBanner(wallet.removed);
  if (done === 'locked' && ownLock === true) return successBanner(lock.done.set);
  return done === 'unlocked' && ownLock === false ? successBanner(lock.done.lifted) : '';
}

/** The citizen lock with the link to the page that sets or removes it; nothing if this server has no such lock. */
function lockSection({ lock }: CitizenTexts['record'], { ownLock }: OwnRecord): Html | '' {
  if (ownLock === null) return '';
  return html`<h2 id="lock">${lock.title}</h2>
    <p${ownLock ? trustedHtml(' class="note"') : ''}>${ownLock ? lock.on : lock.off}</p>
    <p><a href="${ownLock ? citizenPaths.unlock : citizenPaths.lock}">${ownLock ? lock.lift : lock.set}</a></p>`;
}

/** The link to the operator's page about corrections. */
export function correctionLink({ words, corrections }: CitizenLayout): Html | '' {
  return corrections === undefined ? '' : html`<p><a href="${corrections}">${words.record.corrections}</a></p>`;
}
