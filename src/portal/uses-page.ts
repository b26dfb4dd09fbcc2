import { html } from 'hono/html';
import type { WholeAnswer } from '../api/whole-answer.ts';
import type { Explained, Usage } from '../oversight/usage.ts';
import { type Frame, framed, minuteOf } from './citizen-frame.ts';
import { citizenPaths } from './citizen-session.ts';
import type { CitizenWords } from './citizen-words.ts';
import type { Content } from './page.ts';
import { type Corrections, correctionLink } from './record-page.ts';

/** What `readOwnAccessLog` answers, as far as the page shows it. */
export type Uses = { readonly totalUsages: number; readonly usages: readonly Usage[] };

/** So many uses a page has. */
export const usesAPage = 50;

/** Who used the citizen's data, the newest first. Looking at it is noted there as well. */
export function usesPage(frame: Frame & Corrections, { totalUsages, usages }: Uses): Promise<WholeAnswer> {
  const { uses: words, nav } = frame.words;
  const [oldest, newest] = [usages[0]?.number ?? 1, usages.at(-1)?.number ?? totalUsages];
  const to = (before: number, text: string) => html`<p><a href="${citizenPaths.uses}?before=${before}">${text}</a></p>`;
  const content = html`<p>${words.intro}</p>
    <p>${totalUsages === 0 ? words.none : words.total(totalUsages)}</p>
    ${newest < totalUsages ? to(newest + usesAPage + 1, words.newer) : ''}
    <ul class="list">${runsOf(usages.toReversed()).map((run) => runOf(frame, run))}</ul>
    ${oldest > 1 ? to(oldest, words.older) : ''}`;
  return framed(frame, { title: nav.uses, content, current: 'uses' });
}

/** Entries that say the same but for their time, each behind the other, are one run: they would hide what others did. */
function runsOf(usages: readonly Usage[]): Usage[][] {
  const runs: Usage[][] = [];
  for (const usage of usages) {
    const last = runs.at(-1);
    if (last?.[0] !== undefined && saysTheSame(last[0], usage)) last.push(usage);
    else runs.push([usage]);
  }
  return runs;
}

/** Whatever citizens do here themselves says the same; a check of details never does. */
function saysTheSame(one: Usage, other: Usage): boolean {
  if (one.initiator === 'citizen') return other.initiator === 'citizen';
  const isPlain = one.state === 'shown' && other.state === 'shown' && one.usage !== 'identity.verified';
  const said = ({ usage, initiator, initiatorOrg, purpose, legalBasis, consentReference }: Usage) =>
    JSON.stringify([usage, initiator, initiatorOrg, purpose, legalBasis, consentReference]);
  return isPlain && said(one) === said(other);
}

/** One entry, or several that say the same, folded up. */
function runOf(frame: Frame & Corrections, run: readonly Usage[]): Content[] | Content {
  const rows = run.map((usage) => row(frame, usage));
  const [newest] = run;
  if (newest === undefined || rows.length === 1) return rows;
  const { words } = frame;
  const said =
    newest.initiator === 'citizen'
      ? words.uses.you
      : html`${minuteOf(words, newest.logTime)}<br /><bdi>${whoOf(words, newest)}</bdi>: ${kindOf(words, newest.usage)}`;
  return html`<li><details><summary>${said} (${rows.length})</summary><ul class="list">${rows}</ul></details></li>`;
}

function row(frame: Frame & Corrections, usage: Usage): Content {
  const { words } = frame;
  const head = html`<p>${minuteOf(words, usage.logTime)} <bdi>#${usage.number}</bdi></p>`;
  if (usage.state === 'hidden') return html`<li>${head}<p>${words.uses.hidden}</p></li>`;
  if (usage.state === 'erased') return html`<li>${head}<p>${words.uses.erased}</p></li>`;
  return html`<li>${head}
      <p class="fresh"><bdi>${whoOf(words, usage)}</bdi></p>
      <p>${kindOf(words, usage.usage)}</p>
      ${groundsOf(words, usage)}
      ${answerOf(frame, usage)}
    </li>`;
}

function whoOf({ uses }: CitizenWords, { initiatorOrg, initiator }: Usage): string {
  if (initiatorOrg !== undefined) return initiatorOrg.name;
  if (initiator === 'citizen') return uses.you;
  return initiator === 'operator' ? uses.staff : uses.system;
}

/** A newer program of the same log may have noted what this one has no words for: its name is better than nothing. */
function kindOf({ uses }: CitizenWords, usage = ''): string {
  return Object.entries(uses.kinds).find(([name]) => name === usage)?.[1] ?? usage;
}

/** Of a check of details: what was asked about, what the service was told, and what it was not: why, and what did not fit. */
function answerOf(frame: Frame & Corrections, { usage, details = {}, explanation }: Usage): Content | '' {
  if (usage !== 'identity.verified') return '';
  const { uses, nav } = frame.words;
  const { claimsAsked, decision } = details;
  const asked = Array.isArray(claimsAsked) ? claimsAsked.map(String) : [];
  const [, told] = Object.entries(uses.decisions).find(([name]) => name === decision) ?? [];
  const answer = told === undefined ? '' : html`<p>${uses.answer}: ${told}</p>`;
  if (decision === 'match') return html`${listed(frame.words, uses.asked, asked)}${answer}`;
  const [, why] = Object.entries(uses.reasons).find(([reason]) => reason === explanation?.reason) ?? [];
  return html`${comparedOf(frame.words, explanation?.claims ?? {}) ?? listed(frame.words, uses.asked, asked)}${answer}
    ${why === undefined ? '' : html`<p>${why}</p>`}
    ${decision === 'no_match' ? html`<p class="note">${uses.noMatch}</p>` : ''}
    <p><a href="${citizenPaths.record}">${nav.record}</a></p>${correctionLink(frame)}`;
}

/** The details by how they compare with the register; undefined where none was compared. */
function comparedOf(words: CitizenWords, claims: Explained['claims']): Content | undefined {
  if (Object.keys(claims).length === 0) return undefined;
  const groups = Object.entries(words.uses.findings).map(([finding, name]) => {
    const found = Object.keys(claims).filter((claim) => claims[claim] === finding);
    return listed(words, name, found);
  });
  return html`${groups}`;
}

function listed({ uses, language }: CitizenWords, name: string, claims: readonly string[]): Content | '' {
  if (claims.length === 0) return '';
  const list = new Intl.ListFormat(language, { type: 'conjunction' });
  return html`<p>${name}: ${list.format(claims.map((claim) => claimOf(uses, claim)))}</p>`;
}

function claimOf({ claims }: CitizenWords['uses'], claim: string): string {
  return Object.entries(claims).find(([name]) => name === claim)?.[1] ?? claim;
}

function groundsOf({ uses }: CitizenWords, { purpose, legalBasis, consentReference }: Usage): Content[] {
  const grounds = [
    [uses.purpose, purpose],
    [uses.legalBasis, legalBasis],
    [uses.consent, consentReference],
  ] as const;
  return grounds.flatMap(([name, value]) => (value === undefined ? [] : [html`<p>${name}: <bdi>${value}</bdi></p>`]));
}
