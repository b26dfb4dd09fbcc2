import { formatMessage } from '../../locales/message-format.ts';
import type { batchSummaryOf } from '../../notifications/batches/batch-shape.ts';
import { minuteElement } from '../citizen-layout.ts';
import { type Html, html } from '../html.ts';
import { staffPaths } from './staff-area.ts';
import type { StaffVisit } from './staff-page.ts';

/** A page of batches, as `listServiceBatches` returns it. */
export type BatchList = {
  readonly items: readonly ReturnType<typeof batchSummaryOf>[];
  readonly next: string | null;
};

/** Links to batches, with the state of each. */
export function batchList(
  { layout: { words }, texts: { batches } }: Pick<StaffVisit, 'layout' | 'texts'>,
  { items }: Pick<BatchList, 'items'>,
): Html {
  const entries = items.map(
    ({
      id,
      name,
      state,
      rows,
      createdAt,
    }) => html`<li><a href="${staffPaths.batches}/${id}"><bdi>${name ?? batches.unnamed}</bdi></a>
      <p><span class="badge">${batches.states[state]}</span> ${rows === null ? '' : formatMessage(words.language, batches.rows, { count: rows })}</p>
      <p>${minuteElement(words, createdAt)}</p></li>`,
  );
  return html`<ul class="list">${entries}</ul>`;
}
