import type { BufferedResponse } from '../api/buffered-response.ts';
import type { OwnRecord } from '../identity/read-own-record.ts';
import { regionName } from '../identity/register/country-name.ts';
import { removeWalletLinks } from '../identity/remove-wallet-links.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { formatDay } from '../locales/date-format.ts';
import { renderLayout } from './citizen-layout.ts';
import type { CitizenRequest } from './citizen-operations.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { formActions, postForm } from './form-parts.ts';
import { type Html, html } from './html.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** Asks whether to remove the links to the citizen's wallets; a POST does it. */
export async function handleWalletLinks(visit: CitizenRequest): Promise<BufferedResponse | Refusal> {
  if (visit.request.method !== 'POST') return removeLinksPage(visit);
  const answer = await visit.call(removeWalletLinks, visit.token);
  if ('slug' in answer) return answer;
  // The redirect prevents that a reload repeats the action.
  return { status: 303, headers: { location: `${citizenPaths.record}?done=unlinked` }, body: '' };
}

function removeLinksPage({ view }: CitizenRequest): BufferedResponse {
  const { wallet } = view.words.record;
  const button = html`<button type="submit" class="warning">${wallet.remove}</button>`;
  const content = html`<p>${wallet.whatRemoveDoes}</p>
    ${postForm(view, { action: citizenPaths.walletLinks, content: formActions(button, view.words, citizenPaths.record) })}`;
  return renderLayout(view, { title: wallet.remove, content, current: 'record' });
}

/** The wallets that are linked to the record, with the link to the page that removes them; nothing without any. */
export function walletSection({ language, timeZone, record }: CitizenTexts, { walletLinks }: OwnRecord): Html | '' {
  if (walletLinks.length === 0) return '';
  const { wallet } = record;
  const rows = walletLinks.map(
    ({ issuingCountry, keptAt }) => html`<dt>${wallet.country}</dt>
      <dd><bdi>${regionName(issuingCountry, language) ?? issuingCountry}</bdi></dd>
      <dt>${wallet.since}</dt><dd><bdi>${formatDay(language, Date.parse(keptAt), timeZone)}</bdi></dd>`,
  );
  return html`<h2 id="wallet">${wallet.title}</h2><p>${wallet.intro}</p><dl class="summary">${rows}</dl>
    <p><a href="${citizenPaths.walletLinks}">${wallet.remove}</a></p>`;
}
