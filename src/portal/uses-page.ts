import { html } from 'hono/html';
import type { WholeAnswer } from '../api/whole-answer.ts';
import type { Usage } from '../oversight/usage.ts';
import { type Frame, framed, minuteOf } from './citizen-frame.ts';
import { citizenPaths } from './citizen-session.ts';
import type { CitizenWords } from './citizen-words.ts';
import type { Content } from './page.ts';

/** What `readOwnAccessLog` answers, as far as the page shows it. */
export type Uses = { readonly totalUsages: number; readonly usages: readonly Usage[] };

/** So many uses a page has. */
export const usesAPage = 50;

/** Who used the citizen's data, the newest first. Looking at it is noted there as well. */
export function usesPage(frame: Frame, { totalUsages, usages }: Uses): Promise<WholeAnswer> {
  const { uses: words, nav } = frame.words;
  const [oldest, newest] = [usages[0]?.number ?? 1, usages.at(-1)?.number ?? totalUsages];
  const to = (before: number, text: string) => html`<p><a href="${citizenPaths.uses}?before=${before}">${text}</a></p>`;
  const content = html`<p>${words.intro}</p>
    <p>${totalUsages === 0 ? words.none : words.total(totalUsages)}</p>
    ${newest < totalUsages ? to(newest + usesAPage + 1, words.newer) : ''}
    <ul class="list">${runsOf(usages.toReversed()).map((run) => runOf(frame.words, run))}</ul>
    ${oldest > 1 ? to(oldest, words.older) : ''}`;
  return framed(frame, { title: nav.uses, content, current: 'uses' });
}

/** Entries that the citizen has left by looking, each behind the other, are one run: they would hide what others did. */
function runsOf(usages: readonly Usage[]): Usage[][] {
  const runs: Usage[][] = [];
  for (const usage of usages) {
    const last = runs.at(-1);
    if (last?.[0]?.initiator === 'citizen' && usage.initiator === 'citizen') last.push(usage);
    else runs.push([usage]);
  }
  return runs;
}

/** One entry, or several of the citizen's own, folded up. */
function runOf(words: CitizenWords, run: readonly Usage[]): Content[] | Content {
  const rows = run.map((usage) => row(words, usage));
  if (rows.length === 1) return rows;
  return html`<li><details><summary>${words.uses.you} (${rows.length})</summary><ul class="list">${rows}</ul></details></li>`;
}

function row(words: CitizenWords, usage: Usage): Content {
  const head = html`<p>${minuteOf(words, usage.logTime)} <bdi>#${usage.number}</bdi></p>`;
  if (usage.state === 'hidden') return html`<li>${head}<p>${words.uses.hidden}</p></li>`;
  if (usage.state === 'erased') return html`<li>${head}<p>${words.uses.erased}</p></li>`;
  return html`<li>${head}
      <p class="fresh"><bdi>${whoOf(words, usage)}</bdi></p>
      <p>${kindOf(words, usage.usage)}</p>
      ${answerOf(words, usage)}
      ${groundsOf(words, usage)}
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

/** Of a check of details: what was asked about, and what the service was told. */
function answerOf({ uses, language }: CitizenWords, { usage, details = {} }: Usage): Content | '' {
  if (usage !== 'identity.verified') return '';
  const { claimsAsked, decision } = details;
  const asked = Array.isArray(claimsAsked) ? claimsAsked.map((claim) => claimOf(uses, String(claim))) : [];
  const [, told] = Object.entries(uses.decisions).find(([name]) => name === decision) ?? [];
  const list = new Intl.ListFormat(language, { type: 'conjunction' }).format(asked);
  return html`${asked.length === 0 ? '' : html`<p>${uses.asked}: ${list}</p>`}
    ${told === undefined ? '' : html`<p>${uses.answer}: ${told}</p>`}
    ${decision === 'no_match' ? html`<p class="note">${uses.noMatch}</p>` : ''}`;
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
