import type { IncomingMessage } from 'node:http';
import type { BufferedResponse } from '../api/buffered-response.ts';
import type { OperationResponse } from '../api/operation.ts';
import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';
import type { ProblemSlug, Refusal } from '../kernel/refusal.ts';
import { requestQuery } from '../kernel/request-target.ts';
import type { CodeChannel } from '../notifications/contact/contact-code.ts';
import { declinableChannelNames } from '../notifications/notification/notification.ts';
import type { AddressFault } from './address-forms.ts';
import type { PageLayout } from './citizen-layout.ts';
import type { CitizenOperations } from './citizen-operations.ts';
import { parseContactFields, wishesFromFields } from './contact-form.ts';
import { type CompletedForm, completedForms, contactPage, type FormResult, type Preferences } from './contact-page.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** A signed-in citizen's request for the page or of one of its forms. */
type ContactRequest = {
  readonly request: IncomingMessage;
  readonly view: PageLayout;
  readonly operations: CitizenOperations;
  readonly token: string;
};

const maxFormBytes = 16_384;

const noForm: FormResult = { faults: [] };
const unreadableForm: FormResult = { faults: ['form'] };

/** Shows the contact preferences and addresses. */
export async function showContact(contactRequest: ContactRequest): Promise<BufferedResponse | Refusal> {
  const named = new URLSearchParams(requestQuery(contactRequest.request.url)).get('done');
  return await renderContactPage(contactRequest, { ...noForm, done: completedForms.find((one) => one === named) });
}

/** Handles a form of the page. After success it redirects to the page, so that a reload does not repeat the action. */
export async function handleContactForm(contactRequest: ContactRequest): Promise<BufferedResponse | Refusal> {
  const form = (await parseForm(contactRequest.request)) ?? new URLSearchParams();
  const channel = declinableChannelNames.find((one) => one === form.get('channel'));
  const what = form.get('what');
  if (what === 'wishes') return await stateWishes(contactRequest, form);
  if (channel === undefined) return await renderContactPage(contactRequest, unreadableForm);
  if (what === 'ask') return await askCode(contactRequest, channel, form.get('address') ?? '');
  if (what === 'confirm') return await confirmAddress(contactRequest, channel, form.get('code') ?? '');
  if (what === 'remove') return await removeAddress(contactRequest, channel);
  return await renderContactPage(contactRequest, unreadableForm);
}

async function stateWishes(visit: ContactRequest, form: URLSearchParams): Promise<BufferedResponse | Refusal> {
  const fields = parseContactFields(form);
  const stated = fields === undefined ? unreadableForm : wishesFromFields(fields);
  if ('faults' in stated) return await renderContactPage(visit, { ...stated, fields });
  const answer = await visit.operations.stateWishes(visit.token, { json: stated.body });
  return await respondToForm(visit, answer, {
    done: 'wishes',
    refused: { 'bad-request': { ...unreadableForm, fields } },
  });
}

async function askCode(
  visit: ContactRequest,
  channel: CodeChannel,
  typed: string,
): Promise<BufferedResponse | Refusal> {
  const answer = await visit.operations.askCode(visit.token, { json: { channel, address: typed.trim() } });
  return await respondToForm(visit, answer, {
    done: 'asked',
    refused: {
      'bad-request': addressFaultResult({ fault: 'address', channel, typed }),
      'too-many-contact-codes': addressFaultResult({ fault: 'tooMany', channel, typed }),
    },
  });
}

async function confirmAddress(
  visit: ContactRequest,
  channel: CodeChannel,
  typed: string,
): Promise<BufferedResponse | Refusal> {
  // Some people type or copy the code with separators.
  const code = typed.replaceAll(/[\s-]/g, '');
  const answer = await visit.operations.confirmAddress(visit.token, { json: { channel, code } });
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
async function removeAddress(visit: ContactRequest, channel: CodeChannel): Promise<BufferedResponse | Refusal> {
  const answer = await visit.operations.removeAddress(visit.token, { query: { channel } });
  return await respondToForm(visit, answer, { done: 'removed', refused: { 'contact-address-not-found': noForm } });
}

const addressFaultResult = (address: AddressFault): FormResult => ({ faults: [], address });

/** The result of a form, and its faults. */
type FormOutcome = {
  readonly done: CompletedForm;
  readonly refused: Readonly<Partial<Record<ProblemSlug, FormResult>>>;
};

async function respondToForm(
  visit: ContactRequest,
  answer: OperationResponse | Refusal,
  { done, refused }: FormOutcome,
): Promise<BufferedResponse | Refusal> {
  if (!('slug' in answer))
    return { status: 303, headers: { location: `${citizenPaths.contact}?done=${done}` }, body: '' };
  const sent = refused[answer.slug];
  return sent === undefined ? answer : await renderContactPage(visit, sent);
}

async function renderContactPage(
  { operations, token, view }: ContactRequest,
  sent: FormResult,
): Promise<BufferedResponse | Refusal> {
  const answer = await operations.wishes(token);
  if ('slug' in answer) return answer;
  if (!('json' in answer)) throw new TypeError('the operation answers in another form');
  return contactPage(view, answer.json as Preferences, sent);
}

/** Reads a form; undefined if the body is no form, or larger than any form of these pages. */
export async function parseForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const { 'content-type': type = '', 'content-length': length = '0' } = request.headers;
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type) || Number(length) > maxFormBytes) return undefined;
  const bytes = await readBytesUpTo(request, maxFormBytes);
  return bytes && new URLSearchParams(bytes.toString('utf8'));
}
