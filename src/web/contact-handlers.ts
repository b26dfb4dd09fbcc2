import type { IncomingMessage } from 'node:http';
import type { BufferedResponse } from '../api/buffered-response.ts';
import type { OperationResponse } from '../api/operation.ts';
import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';
import type { ProblemSlug, Refusal } from '../kernel/refusal.ts';
import { requestQuery } from '../kernel/request-target.ts';
import { askContactCode } from '../notifications/ask-contact-code.ts';
import { confirmContactAddress } from '../notifications/confirm-contact-address.ts';
import type { CodeChannel } from '../notifications/contact/contact-code.ts';
import { declinableChannelNames } from '../notifications/notification/notification.ts';
import { readPreferences } from '../notifications/read-preferences.ts';
import { removeContactAddress } from '../notifications/remove-contact-address.ts';
import { statePreferences } from '../notifications/state-preferences.ts';
import type { AddressFault } from './address-forms.ts';
import { type CitizenRequest, readJson } from './citizen-operations.ts';
import { parseContactFields, preferencesFromFields } from './contact-form.ts';
import { type CompletedForm, completedForms, contactPage, type FormResult, type Preferences } from './contact-page.ts';
import { citizenPaths } from './sign-in-flow.ts';

const maxFormBytes = 16_384;

const noForm: FormResult = { faults: [] };
const unreadableForm: FormResult = { faults: ['form'] };

/**
 * Shows the contact preferences and addresses; a POST is one of the forms of the page. After success of a form it redirects to the
 * page, so that a reload does not repeat the action.
 */
export async function handleContact(visit: CitizenRequest): Promise<BufferedResponse | Refusal> {
  if (visit.request.method !== 'POST') {
    const named = new URLSearchParams(requestQuery(visit.request.url)).get('done');
    return await renderContactPage(visit, { ...noForm, done: completedForms.find((one) => one === named) });
  }
  const form = (await parseForm(visit.request)) ?? new URLSearchParams();
  const channel = declinableChannelNames.find((one) => one === form.get('channel'));
  const what = form.get('what');
  if (what === 'wishes') return await savePreferences(visit, form);
  if (channel === undefined) return await renderContactPage(visit, unreadableForm);
  if (what === 'ask') return await askCode(visit, channel, form.get('address') ?? '');
  if (what === 'confirm') return await confirmAddress(visit, channel, form.get('code') ?? '');
  if (what === 'remove') return await removeAddress(visit, channel);
  return await renderContactPage(visit, unreadableForm);
}

async function savePreferences(visit: CitizenRequest, form: URLSearchParams): Promise<BufferedResponse | Refusal> {
  const fields = parseContactFields(form);
  const stated = fields === undefined ? unreadableForm : preferencesFromFields(fields);
  if ('faults' in stated) return await renderContactPage(visit, { ...stated, fields });
  const answer = await visit.call(statePreferences, visit.token, { json: stated.body });
  return await respondToForm(visit, answer, {
    done: 'wishes',
    refused: { 'bad-request': { ...unreadableForm, fields } },
  });
}

async function askCode(
  visit: CitizenRequest,
  channel: CodeChannel,
  typed: string,
): Promise<BufferedResponse | Refusal> {
  const answer = await visit.call(askContactCode, visit.token, { json: { channel, address: typed.trim() } });
  return await respondToForm(visit, answer, {
    done: 'asked',
    refused: {
      'bad-request': addressFaultResult({ fault: 'address', channel, typed }),
      'too-many-contact-codes': addressFaultResult({ fault: 'tooMany', channel, typed }),
    },
  });
}

async function confirmAddress(
  visit: CitizenRequest,
  channel: CodeChannel,
  typed: string,
): Promise<BufferedResponse | Refusal> {
  // Some people type or copy the code with separators.
  const code = typed.replaceAll(/[\s-]/g, '');
  const answer = await visit.call(confirmContactAddress, visit.token, { json: { channel, code } });
  const wrong = addressFaultResult({ fault: 'wrong', channel });
  return await respondToForm(visit, answer, {
    done: 'confirmed',
    refused: {
      'bad-request': wrong,
      'contact-code-wrong': wrong,
      'contact-code-needed': addressFaultResult({ fault: 'needed', channel }),
    },
  });
}

/** If the address is missing, an earlier press of the button removed it. */
async function removeAddress(visit: CitizenRequest, channel: CodeChannel): Promise<BufferedResponse | Refusal> {
  const answer = await visit.call(removeContactAddress, visit.token, { query: { channel } });
  return await respondToForm(visit, answer, { done: 'removed', refused: { 'contact-address-not-found': noForm } });
}

const addressFaultResult = (address: AddressFault): FormResult => ({ faults: [], address });

/** The result of a form, and its faults. */
type FormOutcome = {
  readonly done: CompletedForm;
  readonly refused: Readonly<Partial<Record<ProblemSlug, FormResult>>>;
};

async function respondToForm(
  visit: CitizenRequest,
  answer: OperationResponse | Refusal,
  { done, refused }: FormOutcome,
): Promise<BufferedResponse | Refusal> {
  if (!('slug' in answer))
    return { status: 303, headers: { location: `${citizenPaths.contact}?done=${done}` }, body: '' };
  const sent = refused[answer.slug];
  return sent === undefined ? answer : await renderContactPage(visit, sent);
}

async function renderContactPage(visit: CitizenRequest, sent: FormResult): Promise<BufferedResponse | Refusal> {
  const answer = await readJson<Preferences>(visit, readPreferences);
  return 'json' in answer ? contactPage(visit.view, answer.json, sent) : answer;
}

/** Reads a form; undefined if the body is no form, or larger than any form of these pages. */
export async function parseForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const { 'content-type': type = '', 'content-length': length = '0' } = request.headers;
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type) || Number(length) > maxFormBytes) return undefined;
  const bytes = await readBytesUpTo(request, maxFormBytes);
  return bytes && new URLSearchParams(bytes.toString('utf8'));
}
