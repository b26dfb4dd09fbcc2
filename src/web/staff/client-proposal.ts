import type { BufferedResponse } from '../../api/buffered-response.ts';
import { scopes } from '../../api/operation.ts';
import { isObject } from '../../kernel/is-object.ts';
import { problems } from '../../kernel/problem-catalogue.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { requestPath } from '../../kernel/request-target.ts';
import { singleLinePattern } from '../../kernel/single-line-text.ts';
import { formatMessage } from '../../locales/message-format.ts';
import { proposeOperation } from '../../staff/propose-operation.ts';
import { readJson } from '../citizen-operations.ts';
import { parseForm } from '../form-body.ts';
import {
  type FieldFault,
  faultSummary,
  faultText,
  fieldAttributes,
  formActions,
  keptFormBanner,
  postForm,
  selectField,
} from '../form-parts.ts';
import { type Html, html, trustedHtml } from '../html.ts';
import { faultsOf } from './issue-faults.ts';
import { waitingProposalPath } from './read-proposals.ts';
import { isReason, reasonField, redirectTo } from './reasoned-action.ts';
import type { RegisteredClient } from './registered-client.ts';
import { staffPaths } from './staff-area.ts';
import { textInput } from './staff-fields.ts';
import { renderStaffPage, type StaffVisit } from './staff-page.ts';

/** The fields of the form, as text. */
type ClientFields = {
  readonly name: string;
  readonly kind: string;
  readonly scopes: readonly string[];
  readonly jwks: string;
  readonly issuer: string;
  readonly purposes: string;
  readonly legalBases: string;
  readonly policy: string;
  readonly reason: string;
};

/** The kinds that a person can propose. Only the demo creates demo clients. */
const newKinds = ['test', 'team', 'live'] as const;

/** Proposes a new client or, for an existing one, other rights. Then it shows the proposal. */
export async function handleClientProposal(
  visit: StaffVisit,
  client: RegisteredClient | undefined,
): Promise<BufferedResponse | Refusal> {
  const { keptForm, request } = visit;
  if (request.method !== 'POST') {
    const fields = keptForm === undefined ? startFields(client) : readFields(keptForm);
    return formPage(visit, client, { fields, faults: [], isKept: keptForm !== undefined });
  }
  const fields = readFields((await parseForm(request)) ?? new URLSearchParams());
  const faults = fieldFaults(visit, fields, client === undefined);
  if (faults.length > 0) return formPage(visit, client, { fields, faults });
  const [operation, input] =
    client === undefined ? ['createClient', newClientInput(fields)] : ['changeClient', rightsInput(fields, client)];
  const json = { operation, input, reason: fields.reason };
  const answer = await readJson<{ readonly id: string }>(visit, proposeOperation, { json });
  if ('json' in answer) return redirectTo(`${staffPaths.proposals}/${answer.json.id}?done=proposed`);
  if (![400, 409].includes(problems[answer.slug].status)) return answer;
  const waiting = answer.slug === 'conflict' ? await waitingProposalPath(visit, { operation, input }) : undefined;
  if (waiting !== undefined) return redirectTo(waiting);
  return formPage(visit, client, { fields, ...refusalFaults(visit, answer) });
}

/** The fields with a fault. If the fault is in no text field, the operation explains it in English. */
function refusalFaults(
  visit: StaffVisit,
  answer: Refusal,
): { readonly faults: readonly FieldFault[]; readonly refused?: string } {
  const { issues = [] } = answer;
  const fieldOf = (pointer = '') => textFields.find((one) => one === pointer.split('/')[2]);
  if (issues.length > 0 && issues.every(({ pointer }) => fieldOf(pointer) !== undefined)) {
    const named = (pointer: string) => {
      const field = fieldOf(pointer) ?? 'name';
      return { field, label: visit.texts.proposals.members[field] };
    };
    return { faults: faultsOf(visit, answer, named) };
  }
  const details = issues.map(({ pointer, detail }) => `${pointer}: ${detail}`);
  return { faults: [], refused: [answer.detail, ...details].join(' ') };
}

function startFields(client: RegisteredClient | undefined): ClientFields {
  return {
    name: '',
    kind: 'test',
    scopes: client?.scopes ?? [],
    jwks: '',
    issuer: '',
    purposes: client?.purposes?.join('\n') ?? '',
    legalBases: client?.legalBases?.join('\n') ?? '',
    policy: client?.policy ?? '',
    reason: '',
  };
}

function readFields(form: URLSearchParams): ClientFields {
  const text = (name: string) => form.get(name)?.trim() ?? '';
  return {
    name: text('name'),
    kind: text('kind'),
    scopes: form.getAll('scopes'),
    jwks: text('jwks'),
    issuer: text('issuer'),
    purposes: text('purposes'),
    legalBases: text('legalBases'),
    policy: text('policy'),
    reason: text('reason'),
  };
}

function fieldFaults({ texts }: StaffVisit, fields: ClientFields, isNew: boolean): FieldFault[] {
  const { clients, action } = texts;
  const hasKeys = fields.jwks !== '' && parseKeys(fields.jwks) !== undefined;
  return [
    ...(isNew && !singleLinePattern.test(fields.name) ? [{ field: 'name', text: clients.nameFault }] : []),
    ...(fields.scopes.length === 0 ? [{ field: 'scopes', text: clients.scopesFault }] : []),
    ...(isNew && hasKeys === (fields.issuer !== '') ? [{ field: 'jwks', text: clients.keysFault }] : []),
    ...(isReason(fields.reason, true) ? [] : [{ field: 'reason', text: action.reasonFault }]),
  ];
}

function parseKeys(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // The page shows the fault.
    return undefined;
  }
}

/** One on each line, or with commas, also with the comma of Arabic. */
const listOf = (text: string) =>
  text
    .split(/[\n,،]/u)
    .map((word) => word.trim().replaceAll(/\s+/g, ' '))
    .filter((word) => word !== '');

/** Empty lists and texts are left out: they mean any. */
function newClientInput(fields: ClientFields) {
  const { name, kind, scopes: wanted, jwks, issuer, policy } = fields;
  const [purposes, legalBases] = [listOf(fields.purposes), listOf(fields.legalBases)];
  return {
    name,
    kind,
    scopes: wanted,
    ...(jwks === '' ? { issuer } : { jwks: parseKeys(jwks) }),
    ...(purposes.length === 0 ? {} : { purposes }),
    ...(legalBases.length === 0 ? {} : { legalBases }),
    ...(policy === '' ? {} : { policy }),
  };
}

/** The rights that differ from those of the client, so that people who decide see only the change. null means any. */
function rightsInput(fields: ClientFields, client: RegisteredClient) {
  const listOrNull = (text: string) => (listOf(text).length === 0 ? null : listOf(text));
  const wanted = {
    scopes: fields.scopes,
    purposes: listOrNull(fields.purposes),
    legalBases: listOrNull(fields.legalBases),
    policy: fields.policy === '' ? null : fields.policy,
  };
  const sorted = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
  const current: Readonly<Record<string, unknown>> = client;
  const changed = Object.entries(wanted).filter(([name, value]) => sorted(value) !== sorted(current[name]));
  return { clientId: client.clientId, ...Object.fromEntries(changed) };
}

type ClientForm = {
  readonly fields: ClientFields;
  readonly faults: readonly FieldFault[];
  readonly refused?: string;
  readonly isKept?: boolean;
};

function formPage(visit: StaffVisit, client: RegisteredClient | undefined, form: ClientForm): BufferedResponse {
  const { texts, layout, request } = visit;
  const { clients } = texts;
  const { words } = layout;
  const { fields, faults, refused, isKept = false } = form;
  const backTo = client === undefined ? staffPaths.clients : `${staffPaths.clients}/${client.clientId}`;
  const button = html`<button type="submit">${clients.propose}</button>`;
  const fieldsHtml = html`${client === undefined ? newClientFields(visit, form) : ''}
      ${scopesField(visit, form)}
      ${textField(visit, form, { name: 'purposes', hint: clients.listHint, rows: 4 })}
      ${textField(visit, form, { name: 'legalBases', hint: clients.listHint, rows: 4 })}
      ${textField(visit, form, { name: 'policy', hint: clients.policyHint })}
      ${reasonField(visit, { reason: fields.reason, faults }, true)}
      ${formActions(button, words, backTo)}`;
  const content = html`${isKept ? keptFormBanner(words) : ''}${faultSummary(words, faults)}${refused === undefined ? '' : refusedNote(visit, refused)}
    <p>${clients.proposeText}</p>
    ${postForm(layout, { action: requestPath(request.url), content: fieldsHtml })}`;

  const title = client === undefined ? clients.create : `${client.name}: ${clients.changeTitle}`;
  const hasFaults = faults.length > 0 || refused !== undefined;
  return renderStaffPage(visit, { title, content, section: 'clients', hasFaults, status: hasFaults ? 400 : 200 });
}

function refusedNote({ texts, layout }: StaffVisit, detail: string): Html {
  return html`<div class="faults" role="alert" tabindex="-1" autofocus><h2>${layout.words.forms.faultsTitle}</h2>
      <p>${texts.clients.refusedFault} <bdi lang="en">${detail}</bdi></p></div>`;
}

function newClientFields(visit: StaffVisit, form: ClientForm): Html {
  const { clients, proposals } = visit.texts;
  const { fields, faults } = form;
  const kinds = newKinds.map((kind) => [kind, clients.kinds[kind]] as const);
  const select = {
    name: 'kind',
    label: proposals.members.kind,
    faults,
    options: kinds,
    chosen: fields.kind,
  } as const;
  const hint = formatMessage(visit.layout.words.language, clients.jwksHint, { example: '{"keys":[…]}' });
  return html`${textField(visit, form, { name: 'name', hint: clients.nameHint })}<p>${selectField(select)}</p>
    <p><label for="jwks">${proposals.members.jwks}</label><span class="hint" id="jwks-hint">${hint}</span>${faultText(faults, 'jwks')}
      <textarea id="jwks" name="jwks" rows="6" dir="ltr" spellcheck="false"${fieldAttributes(faults, 'jwks', 'jwks-hint')}>${fields.jwks}</textarea></p>
    ${textField(visit, form, { name: 'issuer' })}`;
}

function scopesField({ texts }: StaffVisit, { fields, faults }: ClientForm): Html {
  return html`<fieldset id="scopes"${fieldAttributes(faults, 'scopes')}><legend>${texts.proposals.members.scopes}</legend>${faultText(faults, 'scopes')}
      ${scopes.map((scope) => {
        const ticked = fields.scopes.includes(scope) ? trustedHtml(' checked') : '';
        return html`<p class="choice"><input type="checkbox" id="${scope}" name="scopes" value="${scope}"${ticked} />
          <label for="${scope}" dir="ltr">${scope}</label></p>`;
      })}</fieldset>`;
}

const textFields = ['name', 'issuer', 'purposes', 'legalBases', 'policy'] as const;

type TextField = { readonly name: (typeof textFields)[number]; readonly hint?: string; readonly rows?: number };

function textField({ texts }: StaffVisit, { fields, faults }: ClientForm, field: TextField): Html {
  const { name } = field;
  const view = { values: new URLSearchParams({ [name]: fields[name] }), faults };
  return textInput(view, { ...field, label: texts.proposals.members[name] });
}
