import { html, raw } from 'hono/html';
import type { BufferedResponse } from '../api/buffered-response.ts';
import type { OwnRecord } from '../identity/read-own-record.ts';
import { type ClaimName, claimNames } from '../identity/register/claims.ts';
import { type PageLayout, renderLayout } from './citizen-layout.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import type { HtmlContent } from './page.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** Where the operator says how the register is put right; undefined where that is not said. */
export type CorrectionLink = { readonly corrections: string | undefined };

/**
 * What the register has about the citizen; undefined where it has nothing. `tooMany`: the lock was to be lifted, and cannot be
 * again on that day.
 */
export function recordPage(
  frame: PageLayout & CorrectionLink,
  record: OwnRecord | undefined,
  tooMany = false,
): Promise<BufferedResponse> {
  const { record: words, nav } = frame.words;
  const content =
    record === undefined
      ? html`<p>${words.none}</p>${correctionLink(frame)}`
      : html`<p>${words.intro}</p>
        ${(['underReview', 'locked', 'deceased'] as const).map((mark) =>
          record[mark] ? html`<p class="note">${words.marks[mark]}</p>` : '',
        )}
        <dl>${recordRows(frame.words, record).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
        <p>${words.wrong}</p>${correctionLink(frame)}${lockForm(words, record, tooMany)}`;
  return renderLayout(frame, { title: nav.record, content, current: 'record', status: tooMany ? 429 : 200 });
}

/** The citizen's own lock, and the button that sets or lifts it; nothing where this server keeps none. */
function lockForm({ lock }: CitizenTexts['record'], { ownLock }: OwnRecord, tooMany: boolean): HtmlContent | '' {
  if (ownLock === null) return '';
  return html`<h2 id="lock">${lock.title}</h2>
    ${tooMany ? html`<p class="note" role="alert">${lock.tooMany}</p>` : ''}
    <p${ownLock ? raw(' class="note"') : ''}>${ownLock ? lock.on : lock.off}</p><p>${lock.notified}</p>
    <form method="post" action="${citizenPaths.record}">
      <input type="hidden" name="locked" value="${String(!ownLock)}" />
      <p><button type="submit">${ownLock ? lock.lift : lock.set}</button></p>
    </form>`;
}

/** The way to where one learns how to have the register put right. */
export function correctionLink({ words, corrections }: PageLayout & CorrectionLink): HtmlContent | '' {
  return corrections === undefined ? '' : html`<p><a href="${corrections}">${words.record.corrections}</a></p>`;
}

type NamedValue = readonly [name: string, value: HtmlContent];

/** As the register has it, letter for letter: what is written otherwise there may be why something did not fit. */
function recordRows(words: CitizenTexts, record: OwnRecord): NamedValue[] {
  const { record: own, uses, language } = words;
  const named = (name: string) => name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
  const valued = (value: string | null): HtmlContent =>
    value === null ? html`${uses.findings.not_available}` : html`<bdi>${value}</bdi>`;
  const claims = claimNames.map((claim) => [named(uses.claims[claim]), valued(record[claim])] as const);
  const earlier = [...record.formerNames, ...record.formerAddresses].flatMap(({ from, until, ...values }) =>
    Object.entries(values).map(([claim, value]) => {
      const name = `${named(uses.claims[claim as ClaimName])} (${own.earlier})`;
      return [name, html`<bdi>${value}</bdi>${periodText(from, until)}`] as const;
    }),
  );
  const { email, phone, language: spoken } = record;
  return [
    ...claims,
    ...earlier,
    [named(own.email), valued(email)],
    [named(own.phone), valued(phone)],
    [named(own.language), valued(spoken === null ? null : languageName(spoken, language))],
  ];
}

function periodText(from = '', until = ''): HtmlContent | '' {
  return from === '' && until === '' ? '' : html` (<bdi>${from} – ${until}</bdi>)`;
}

/** The name of a language in another; what an import has written and is no tag stays as it is. */
function languageName(tag: string, language: string): string {
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
