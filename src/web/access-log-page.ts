import type { BufferedResponse } from '../api/buffered-response.ts';
import { formatMessage } from '../locales/message-format.ts';
import { type CitizenLayout, minuteElement, renderLayout } from './citizen-layout.ts';
import { type FieldFault, faultSummary, faultText, fieldAttributes } from './form-parts.ts';
import { type Html, html } from './html.ts';
import { correctionLink } from './record-page.ts';
import { citizenPaths } from './sign-in-flow.ts';
import { type DescribedUsage, type UseRow, wordsOfUse } from './usage-words.ts';

/** The part of the response of `readOwnAccessLog` that the page shows. */
export type AccessLog = {
  readonly totalUsages: number;
  readonly usages: readonly DescribedUsage[];
  readonly next: number | null;
  readonly organisations?: readonly { readonly code: string; readonly name: string }[];
};

/** The choice of the citizen, as in the URL of the page; '' for none. */
export type UsesChoice = { readonly organisation: string; readonly from: string; readonly to: string };

/** The uses by others and, unless they are filtered by organisation, what the citizen did. */
export type UsesPage = {
  readonly choice: UsesChoice;
  /** The dates that are not dates. They do not filter. */
  readonly wrongDates: readonly ('from' | 'to')[];
  /** `next`: the position of the following page. */
  readonly others: Pick<AccessLog, 'totalUsages' | 'organisations' | 'next'> & { readonly groups: readonly UseGroup[] };
  readonly own: AccessLog | undefined;
  /** The positions in the URL: entries before these numbers are shown. */
  readonly before: string | undefined;
  readonly ownBefore: string | undefined;
};

/** Successive entries that differ only in their time, newest first. */
export type UseGroup = readonly DescribedUsage[];

/** The uses of the citizen's data by others, newest first, and folded below them what the citizen did. */
export function accessLogPage(frame: CitizenLayout, page: UsesPage): BufferedResponse {
  const { uses, nav } = frame.words;
  const { others, before, choice } = page;
  const isFiltered = Object.values(choice).some((value) => value !== '');
  const isEmpty = others.groups.length === 0 && others.next === null;
  const faults = page.wrongDates.map((field) => ({ field, text: uses.filter.wrongDate }));
  const content = html`${faultSummary(frame.words, faults)}<p>${uses.intro}</p>
    ${filterForm(frame, page, faults)}
    <h2>${uses.byOthers}</h2>
    ${isEmpty && before === undefined ? html`<p>${isFiltered ? uses.filter.nothing : uses.none}</p>` : ''}
    ${before === undefined ? '' : pageLink(choice, {}, uses.newer)}
    ${others.groups.length === 0 ? '' : html`<ul class="list">${groupItems(frame, others.groups)}</ul>`}
    ${others.next === null ? '' : pageLink(choice, { before: String(others.next) }, uses.older)}
    ${ownActions(frame, page)}
    <div class="screen-only">
      <h2>${uses.download.title}</h2>
      <p>${uses.download.note}</p>
      <ul>
        <li><a href="${urlOf(citizenPaths.usesTable, choice, {})}">${uses.download.table}</a></li>
        <li><a href="${urlOf(citizenPaths.usesProofs, choice, {})}">${uses.download.proofs}</a></li>
      </ul>
    </div>
    <p>${formatMessage(frame.words.language, uses.total, { count: others.totalUsages })}</p>`;
  return renderLayout(frame, { title: nav.uses, content, current: 'uses', hasFaults: faults.length > 0 });
}

function filterForm({ words }: CitizenLayout, { choice, others }: UsesPage, faults: readonly FieldFault[]): Html {
  const { filter } = words.uses;
  const collator = new Intl.Collator(words.language);
  const known = (others.organisations ?? []).toSorted((one, other) => collator.compare(one.name, other.name));
  const options =
    choice.organisation === '' || known.some(({ code }) => code === choice.organisation)
      ? known
      : [...known, { code: choice.organisation, name: choice.organisation }];
  const date = (name: 'from' | 'to') =>
    html`<p><label for="${name}">${filter[name]}</label>${faultText(faults, name)}
        <input type="date" id="${name}" name="${name}" value="${choice[name]}"${fieldAttributes(faults, name)} /></p>`;
  return html`<form class="filters" method="get" action="${citizenPaths.uses}">
      <p><label for="organisation">${filter.organisation}</label>
        <select id="organisation" name="organisation">
          <option value="">${filter.all}</option>
          ${options.map(({ code, name }) => html`<option value="${code}"${code === choice.organisation ? html` selected` : ''}>${name}</option>`)}
        </select></p>
      ${date('from')}
      ${date('to')}
      <p class="actions"><button type="submit">${filter.apply}</button> <a href="${citizenPaths.uses}">${filter.clear}</a></p>
    </form>`;
}

/** The own actions of the citizen, folded, so that they do not hide the uses by others. They are printed only when they are open. */
function ownActions(frame: CitizenLayout, { own, ownBefore, choice }: UsesPage): Html | '' {
  if (own === undefined || (own.usages.length === 0 && ownBefore === undefined)) return '';
  const { uses } = frame.words;
  return html`<div class="own-actions">
      <h2>${uses.byYou}</h2>
      <details${ownBefore === undefined ? '' : html` open`}><summary>${uses.showOwn}</summary>
        <ul class="list">${groupItems(frame, groupUses(frame, own.usages.toReversed()))}</ul>
        ${own.next === null ? '' : pageLink(choice, { own: String(own.next) }, uses.older)}
      </details>
    </div>`;
}

function pageLink(choice: UsesChoice, position: Readonly<Record<string, string>>, text: string): Html {
  return html`<p><a href="${urlOf(citizenPaths.uses, choice, position)}">${text}</a></p>`;
}

/** The URL of this page or a download with the choice of the citizen. */
function urlOf(path: string, choice: UsesChoice, position: Readonly<Record<string, string>>): string {
  const set = Object.entries({ ...choice, ...position }).filter(([, value]) => value !== '');
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
}

/** Groups entries, given newest first. Verifications are not grouped. */
export function groupUses(frame: CitizenLayout, usages: readonly DescribedUsage[]): readonly UseGroup[] {
  const groups: { readonly said: string; readonly members: DescribedUsage[] }[] = [];
  for (const usage of usages) {
    const isPlain = usage.state === 'shown' && usage.usage !== 'identity.verified';
    const said = isPlain ? JSON.stringify(wordsOfUse(frame, usage)) : `#${usage.number}`;
    const last = groups.at(-1);
    if (last?.said === said) last.members.push(usage);
    else groups.push({ said, members: [usage] });
  }
  return groups.map(({ members }) => members);
}

function groupItems(frame: CitizenLayout, groups: readonly UseGroup[]): Html[] {
  return groups.flatMap((group) => groupItem(frame, group));
}

/** One entry, or a group of entries that opens on demand. */
function groupItem(frame: CitizenLayout, group: UseGroup): Html | Html[] {
  const items = group.map((usage) => useItem(frame, usage));
  const [newest] = group;
  if (newest === undefined || items.length === 1) return items;
  const { who, what } = wordsOfUse(frame, newest);
  return html`<li><details><summary>${minuteElement(frame.words, newest.logTime)}<br /><bdi>${who}</bdi>: ${what} (${items.length})</summary><ul class="list">${items}</ul></details></li>`;
}

function useItem(frame: CitizenLayout, usage: DescribedUsage): Html {
  const { words } = frame;
  const { who, what, rows } = wordsOfUse(frame, usage);
  return html`<li><p>${minuteElement(words, usage.logTime)} <bdi>#${usage.number}</bdi></p>
      ${who === undefined ? '' : html`<p class="fresh"><bdi>${who}</bdi></p>`}
      <p>${what}</p>
      ${rows.length === 0 ? '' : html`<dl class="summary">${rows.map(rowElements)}</dl>`}
      ${verificationHelp(frame, usage)}
    </li>`;
}

function rowElements({ label, text, language, href, note }: UseRow): Html {
  const value = html`<bdi${language === undefined ? '' : html` lang="${language}"`}>${text}</bdi>`;
  return html`<dt>${label}</dt><dd>${href === undefined ? value : html`<a href="${href}">${value}</a>`}${note === undefined ? '' : html`<p>${note}</p>`}</dd>`;
}

/** Help for a citizen whose details were not confirmed. */
function verificationHelp(frame: CitizenLayout, { usage, details = {} }: DescribedUsage): Html | '' {
  const { decision } = details;
  if (usage !== 'identity.verified' || decision === 'match') return '';
  const { uses, nav } = frame.words;
  return html`${decision === 'no_match' ? html`<p class="note">${uses.noMatch}</p>` : ''}
    <p><a href="${citizenPaths.record}">${nav.record}</a></p>${correctionLink(frame)}`;
}
