import type { BufferedResponse } from '../api/buffered-response.ts';
import type { Usage, UsageExplanation } from '../audit/usage.ts';
import { formatMessage } from '../locales/message-format.ts';
import { type CitizenLayout, minuteElement, renderLayout } from './citizen-layout.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { type Html, html } from './html.ts';
import { correctionLink } from './record-page.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** The part of the response of `readOwnAccessLog` that the page shows. */
export type AccessLog = { readonly totalUsages: number; readonly usages: readonly Usage[] };

export const usesPerPage = 50;

/** The uses of the citizen's data, newest first. Opening the page is recorded as a use too. */
export function accessLogPage(frame: CitizenLayout, { totalUsages, usages }: AccessLog): BufferedResponse {
  const { uses: words, nav } = frame.words;
  const [oldest, newest] = [usages[0]?.number ?? 1, usages.at(-1)?.number ?? totalUsages];
  const to = (before: number, text: string) => html`<p><a href="${citizenPaths.uses}?before=${before}">${text}</a></p>`;
  const content = html`<p>${words.intro}</p>
    <p>${totalUsages === 0 ? words.none : formatMessage(frame.words.language, words.total, { count: totalUsages })}</p>
    ${newest < totalUsages ? to(newest + usesPerPage + 1, words.newer) : ''}
    <ul class="list">${groupRuns(usages.toReversed()).map((run) => runItem(frame, run))}</ul>
    ${oldest > 1 ? to(oldest, words.older) : ''}`;
  return renderLayout(frame, { title: nav.uses, content, current: 'uses' });
}

/** Groups consecutive entries that differ only in their time. Otherwise they would push the uses of others off the page. */
function groupRuns(usages: readonly Usage[]): Usage[][] {
  const runs: Usage[][] = [];
  for (const usage of usages) {
    const last = runs.at(-1);
    if (last?.[0] !== undefined && isSameUse(last[0], usage)) last.push(usage);
    else runs.push([usage]);
  }
  return runs;
}

/** Uses by citizens on these pages are grouped. Verifications are not. */
function isSameUse(one: Usage, other: Usage): boolean {
  if (one.initiator === 'citizen') return other.initiator === 'citizen';
  const isPlain = one.state === 'shown' && other.state === 'shown' && one.usage !== 'identity.verified';
  const said = ({ usage, initiator, initiatorOrg, purpose, legalBasis, consentReference }: Usage) =>
    JSON.stringify([usage, initiator, initiatorOrg, purpose, legalBasis, consentReference]);
  return isPlain && said(one) === said(other);
}

/** One entry, or a group of entries that opens on demand. */
function runItem(frame: CitizenLayout, run: readonly Usage[]): Html[] | Html {
  const rows = run.map((usage) => useRow(frame, usage));
  const [newest] = run;
  if (newest === undefined || rows.length === 1) return rows;
  const { words } = frame;
  const said =
    newest.initiator === 'citizen'
      ? words.uses.you
      : html`${minuteElement(words, newest.logTime)}<br /><bdi>${userName(words, newest)}</bdi>: ${kindText(words, newest.usage)}`;
  return html`<li><details><summary>${said} (${rows.length})</summary><ul class="list">${rows}</ul></details></li>`;
}

function useRow(frame: CitizenLayout, usage: Usage): Html {
  const { words } = frame;
  const head = html`<p>${minuteElement(words, usage.logTime)} <bdi>#${usage.number}</bdi></p>`;
  if (usage.state === 'hidden') return html`<li>${head}<p>${words.uses.hidden}</p></li>`;
  if (usage.state === 'erased') return html`<li>${head}<p>${words.uses.erased}</p></li>`;
  return html`<li>${head}
      <p class="fresh"><bdi>${userName(words, usage)}</bdi></p>
      <p>${kindText(words, usage.usage)}</p>
      ${legalBasis(words, usage)}
      ${verificationAnswer(frame, usage)}
    </li>`;
}

function userName({ uses }: CitizenTexts, { initiatorOrg, initiator }: Usage): string {
  if (initiatorOrg !== undefined) return initiatorOrg.name;
  if (initiator === 'citizen') return uses.you;
  return initiator === 'operator' ? uses.staff : uses.system;
}

/** Another program version may have written an event type that has no text here. Then the page shows its name. */
function kindText({ uses }: CitizenTexts, usage = ''): string {
  return Object.entries(uses.kinds).find(([name]) => name === usage)?.[1] ?? usage;
}

/**
 * A verification: the claims in the request, the response to the service, and for no match the reason, which the service did not
 * receive.
 */
function verificationAnswer(frame: CitizenLayout, { usage, details = {}, explanation }: Usage): Html | '' {
  if (usage !== 'identity.verified') return '';
  const { uses, nav } = frame.words;
  const { claimsAsked, decision } = details;
  const asked = Array.isArray(claimsAsked) ? claimsAsked.map(String) : [];
  const [, text] = Object.entries(uses.decisions).find(([name]) => name === decision) ?? [];
  const answer = text === undefined ? '' : html`<p>${uses.answer}: ${text}</p>`;
  if (decision === 'match') return html`${claimList(frame.words, uses.asked, asked)}${answer}`;
  const [, why] = Object.entries(uses.reasons).find(([reason]) => reason === explanation?.reason) ?? [];
  return html`${comparedClaims(frame.words, explanation?.claims ?? {}) ?? claimList(frame.words, uses.asked, asked)}${answer}
    ${why === undefined ? '' : html`<p>${why}</p>`}
    ${decision === 'no_match' ? html`<p class="note">${uses.noMatch}</p>` : ''}
    <p><a href="${citizenPaths.record}">${nav.record}</a></p>${correctionLink(frame)}`;
}

/** The claims by the result of their comparison; undefined if none was compared. */
function comparedClaims(words: CitizenTexts, claims: UsageExplanation['claims']): Html | undefined {
  if (Object.keys(claims).length === 0) return undefined;
  const groups = Object.entries(words.uses.findings).map(([finding, name]) => {
    const found = Object.keys(claims).filter((claim) => claims[claim] === finding);
    return claimList(words, name, found);
  });
  return html`${groups}`;
}

function claimList({ uses, language }: CitizenTexts, name: string, claims: readonly string[]): Html | '' {
  if (claims.length === 0) return '';
  const list = new Intl.ListFormat(language, { type: 'conjunction' });
  return html`<p>${name}: ${list.format(claims.map((claim) => claimOf(uses, claim)))}</p>`;
}

function claimOf({ claims }: CitizenTexts['uses'], claim: string): string {
  return Object.entries(claims).find(([name]) => name === claim)?.[1] ?? claim;
}

function legalBasis({ uses }: CitizenTexts, usage: Usage): Html {
  const line = (name: string, value: string | undefined) =>
    value === undefined ? '' : html`<p>${name}: <bdi>${value}</bdi></p>`;
  return html`${line(uses.purpose, usage.purpose)}${line(uses.legalBasis, usage.legalBasis)}${line(uses.consent, usage.consentReference)}`;
}
