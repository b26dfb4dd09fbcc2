import { isObject } from '../../kernel/is-object.ts';
import { formatMessage } from '../../locales/message-format.ts';
import { type Html, html } from '../html.ts';
import { staffPaths } from './staff-area.ts';
import type { StaffVisit } from './staff-page.ts';

type BatchProposal = { readonly service: string | null; readonly before: unknown; readonly input: unknown };

/** The messages and the cost of a batch whose start was proposed (`proposableBatchStart`). */
export function batchProposal({ layout, texts, member }: StaffVisit, proposal: BatchProposal): Html {
  const { language } = layout.words;
  const { counts, cost, approval, unnamed } = texts.batches;
  const before = isObject(proposal.before) ? proposal.before : {};
  const input = isObject(proposal.input) ? proposal.input : {};
  const rows = [
    [texts.proposals.members.name, before['name'] ?? unnamed],
    [texts.send.template, before['template']],
    [counts.good, before['messages']],
    [counts.rows, before['rows']],
    [counts.refused, before['refused']],
  ] as const;
  const shown = rows.flatMap(([label, value]) => {
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    const text = typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value;
    return [html`<dt>${label}</dt><dd><bdi>${text}</bdi></dd>`];
  });
  const costs = (['textMessages', 'letters'] as const).flatMap((name) => {
    const count = before[name];
    return typeof count === 'number' ? [html`<li>${formatMessage(language, cost[name], { count })}</li>`] : [];
  });
  const isOfService = member.service !== null && member.service === proposal.service;
  const path = `${staffPaths.batches}/${String(input['batch'])}`;
  return html`<dl class="summary">${shown}</dl>
    ${costs.length === 0 ? '' : html`<h2>${cost.title}</h2><ul>${costs}</ul>`}
    ${isOfService && member.scopes.includes('staff:send') ? html`<p><a href="${path}">${approval.open}</a></p>` : ''}`;
}
