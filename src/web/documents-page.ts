import type { BufferedResponse } from '../api/buffered-response.ts';
import { extensionOf } from '../documents/media-type.ts';
import type { DocumentFile } from '../documents/own-document.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import type { ProblemSlug } from '../kernel/refusal.ts';
import { type CitizenLayout, commaOf, dayElement, type PageLayout, renderLayout } from './citizen-layout.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { type Html, html } from './html.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** The part of a record in `listDocuments` that the page shows. */
type DocumentRecord = {
  readonly id: string;
  readonly title: string;
  readonly size: number;
  readonly mediaType: string;
  readonly issuer: string;
  readonly issuedAt: string;
  readonly status: 'scanning' | 'available' | 'quarantined' | 'withdrawn';
};

/** The response of `listDocuments`. */
export type DocumentList = {
  readonly items: readonly DocumentRecord[];
  readonly unreadable: readonly string[];
  readonly next: string | null;
};

/** The citizen's documents, newest first, with a link to each that can be opened. */
export function documentsPage(
  frame: CitizenLayout,
  { items, unreadable, next }: DocumentList,
  isFirst: boolean,
): BufferedResponse {
  const { documents: words, nav } = frame.words;
  const isEmpty = items.length === 0 && unreadable.length === 0;
  const list = html`<ul class="list">
      ${items.map((record) => documentRow(frame, record))}
      ${unreadable.map(() => html`<li><p>${words.notReady}</p></li>`)}
    </ul>`;
  const content = html`${isEmpty ? '' : list}
    ${isEmpty && isFirst ? html`<p>${words.none}</p>` : ''}
    ${isFirst ? '' : html`<p><a href="${citizenPaths.documents}">${words.newest}</a></p>`}
    ${next === null ? '' : html`<p><a href="${citizenPaths.documents}?after=${encodeURIComponent(next)}">${words.older}</a></p>`}`;
  return renderLayout(frame, { title: nav.documents, content, current: 'documents' });
}

function documentRow(frame: CitizenLayout, record: DocumentRecord): Html {
  const { words, nameOf } = frame;
  // The language is not known, so a screen reader must not use the voice of the page.
  const title = html`<bdi lang="">${record.title}</bdi>`;
  const about = html`<p><bdi>${nameOf(record.issuer)}</bdi>${commaOf(words)} ${dayElement(words, record.issuedAt)}</p>`;
  if (record.status === 'available')
    return html`<li><p><a href="${citizenPaths.documents}/${record.id}">${title}</a> (${fileKind(words, record)})</p>${about}</li>`;
  const why = record.status === 'withdrawn' ? words.documents.withdrawn : words.documents.notReady;
  return html`<li><p>${title}</p>${about}<p>${why}</p></li>`;
}

/** The format and the size of a file, such as `PDF, 95 kB`. */
export function fileKind(words: CitizenTexts, { mediaType, size }: DocumentFile): Html {
  return html`${extensionOf(mediaType).toUpperCase()}${commaOf(words)} <bdi>${formatSize(words.language, size)}</bdi>`;
}

/** Shown for a document that exists and cannot be retrieved. */
export function documentUnavailablePage(frame: PageLayout, because: ProblemSlug): BufferedResponse {
  const { documents, nav } = frame.words;
  const { title, ...reasons } = documents.blocked;
  const why = reasons[blockedReasons[because] ?? 'notReady'];
  const content = html`<p>${why}</p><p><a href="${citizenPaths.documents}">${nav.documents}</a></p>`;
  return renderLayout(frame, { title, content, current: 'documents', status: problems[because].status });
}

const blockedReasons: { readonly [slug in ProblemSlug]?: 'quarantined' | 'withdrawn' | 'erased' } = {
  'document-quarantined': 'quarantined',
  'document-withdrawn': 'withdrawn',
  'document-erased': 'erased',
};

const sizeUnits = [
  ['megabyte', 1_000_000],
  ['kilobyte', 1_000],
] as const;

/** A size in the format of the language. */
function formatSize(language: string, bytes: number): string {
  const [unit, one] = sizeUnits.find(([, least]) => bytes >= least) ?? (['byte', 1] as const);
  const unitDisplay = unit === 'byte' ? 'long' : 'short';
  const format = { style: 'unit', unit, unitDisplay, maximumSignificantDigits: 2 } as const;
  return (bytes / one).toLocaleString(language, format);
}
