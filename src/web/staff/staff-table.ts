import { type Html, html } from '../html.ts';

/** A table that scrolls by itself in a narrow window. */
export function staffTable(id: string, head: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html {
  return html`<div role="region" aria-labelledby="${id}" tabindex="0"><table>
    <thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}
