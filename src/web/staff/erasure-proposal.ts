import type { BufferedResponse } from '../../api/buffered-response.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { formatMessage } from '../../locales/message-format.ts';
import { proposeOperation } from '../../staff/propose-operation.ts';
import { readJson } from '../citizen-operations.ts';
import { parseForm } from '../form-body.ts';
import { type FieldFault, faultSummary, formActions, keptFormBanner, postForm } from '../form-parts.ts';
import { html, trustedHtml } from '../html.ts';
import { waitingProposalPath } from './read-proposals.ts';
import { isReason, reasonField, redirectTo } from './reasoned-action.ts';
import { staffPaths } from './staff-area.ts';
import { type FormView, textInput } from './staff-fields.ts';
import { renderStaffPage, type StaffVisit } from './staff-page.ts';

/** The path of the form in which an operator proposes to erase a citizen. */
export const erasurePath = `${staffPaths.proposals}/erasure`;

/** Shows the form; a POST proposes the erasure, and leads to the page of the proposal. */
export async function handleErasureProposal(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const { keptForm, request, texts, layout } = visit;
  if (request.method !== 'POST')
    return formPage(visit, { values: keptForm ?? new URLSearchParams(), faults: [] }, keptForm !== undefined);
  const values = (await parseForm(request)) ?? new URLSearchParams();
  const [citizenId, reason] = [values.get('citizenId')?.trim() ?? '', values.get('reason')?.trim() ?? ''];
  const { erasure, members } = texts.proposals;
  const field = members.citizenId;
  const numberFault = {
    field: 'citizenId',
    text: formatMessage(layout.words.language, texts.send.faults.invalid, { field }),
  };
  const faults: FieldFault[] = [
    ...(citizenId === '' ? [numberFault] : []),
    ...(isReason(reason, true) ? [] : [{ field: 'reason', text: texts.action.reasonFault }]),
  ];
  if (faults.length > 0) return formPage(visit, { values, faults });
  const input = { citizenId, keepsRegisterRow: values.has('keepsRegisterRow') };
  const wanted = { operation: 'eraseCitizen', input };
  const json = { ...wanted, reason };
  const answer = await readJson<{ readonly id: string }>(visit, proposeOperation, { json });
  if ('json' in answer) return redirectTo(`${staffPaths.proposals}/${answer.json.id}?done=proposed`);
  if (answer.slug === 'bad-request') return formPage(visit, { values, faults: [numberFault] });
  if (answer.slug !== 'conflict') return answer;
  const waiting = await waitingProposalPath(visit, wanted);
  if (waiting !== undefined) return redirectTo(waiting);
  return formPage(visit, { values, faults: [{ field: 'citizenId', text: erasure.refused }] });
}

function formPage(visit: StaffVisit, view: FormView, isKept = false): BufferedResponse {
  const { layout, texts } = visit;
  const { words } = layout;
  const { erasure, members } = texts.proposals;
  const { values, faults } = view;
  const keeps = values.has('keepsRegisterRow') ? trustedHtml(' checked') : '';
  const button = html`<button type="submit">${texts.clients.propose}</button>`;
  const fields = html`${textInput(view, { name: 'citizenId', label: members.citizenId })}
      <p class="choice"><input type="checkbox" id="keepsRegisterRow" name="keepsRegisterRow" value="yes"${keeps} />
        <label for="keepsRegisterRow">${erasure.keeps}</label></p>
      ${reasonField(visit, { reason: values.get('reason') ?? '', faults }, true)}
      ${formActions(button, words, staffPaths.proposals)}`;
  const content = html`${isKept ? keptFormBanner(words) : ''}${faultSummary(words, faults)}
    <p>${erasure.text}</p><p>${texts.clients.proposeText}</p>
    ${postForm(layout, { action: erasurePath, content: fields })}`;
  const hasFaults = faults.length > 0;
  const status = hasFaults ? 400 : 200;
  return renderStaffPage(visit, { title: erasure.title, content, section: 'proposals', hasFaults, status });
}
