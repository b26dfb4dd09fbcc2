import type { IncomingMessage } from 'node:http';
import type { Answer } from '../api/operation.ts';
import type { WholeAnswer } from '../api/whole-answer.ts';
import { bytesWithin } from '../kernel/bytes-within.ts';
import type { ProblemSlug, Refusal } from '../kernel/problem.ts';
import { queryOf } from '../kernel/request-target.ts';
import type { CodeChannel } from '../notifications/contact/contact-code.ts';
import { timedChannelNames } from '../notifications/notification.ts';
import type { AddressFault } from './address-forms.ts';
import type { CitizenOperations } from './ask-operations.ts';
import type { Frame } from './citizen-frame.ts';
import { citizenPaths } from './citizen-session.ts';
import { readFields, wishesIn } from './contact-form.ts';
import { contactPage, type Done, doneWords, type Preferences, type SentForm } from './contact-page.ts';

/** A request for the page, or of one of its forms, of a citizen who is signed in. */
type Visit = {
  readonly request: IncomingMessage;
  readonly view: Frame;
  readonly ask: CitizenOperations;
  readonly token: string;
};

/** In bytes. */
const largestForm = 16_384;

const nothingSent: SentForm = { faults: [] };
const unread: SentForm = { faults: ['form'] };

/** How the citizen is reached. */
export async function showContact(visit: Visit): Promise<WholeAnswer | Refusal> {
  const named = new URLSearchParams(queryOf(visit.request.url)).get('done');
  return await pageAfter(visit, { ...nothingSent, done: doneWords.find((one) => one === named) });
}

/** Does what a form of the page asks for. The browser is sent to the page anew, so that loading it again does nothing again. */
export async function takeContactForm(visit: Visit): Promise<WholeAnswer | Refusal> {
  const form = (await formIn(visit.request)) ?? new URLSearchParams();
  const channel = timedChannelNames.find((one) => one === form.get('channel'));
  const what = form.get('what');
  if (what === 'wishes') return await stateWishes(visit, form);
  if (channel === undefined) return await pageAfter(visit, unread);
  if (what === 'ask') return await askCode(visit, channel, form.get('address') ?? '');
  if (what === 'confirm') return await confirmAddress(visit, channel, form.get('code') ?? '');
  if (what === 'remove') return await removeAddress(visit, channel);
  return await pageAfter(visit, unread);
}

async function stateWishes(visit: Visit, form: URLSearchParams): Promise<WholeAnswer | Refusal> {
  const fields = readFields(form);
  const stated = fields === undefined ? unread : wishesIn(fields);
  if ('faults' in stated) return await pageAfter(visit, { ...stated, fields });
  const answer = await visit.ask.stateWishes(visit.token, { json: stated.body });
  return await after(visit, answer, { done: 'wishes', refused: { 'bad-request': { ...unread, fields } } });
}

async function askCode(visit: Visit, channel: CodeChannel, typed: string): Promise<WholeAnswer | Refusal> {
  const answer = await visit.ask.askCode(visit.token, { json: { channel, address: typed.trim() } });
  return await after(visit, answer, {
    done: 'asked',
    refused: {
      'bad-request': faulty({ fault: 'address', channel, typed }),
      'too-many-contact-codes': faulty({ fault: 'tooMany', channel, typed }),
    },
  });
}

async function confirmAddress(visit: Visit, channel: CodeChannel, typed: string): Promise<WholeAnswer | Refusal> {
  // As some write it down, or copy it.
  const code = typed.replaceAll(/[\s-]/g, '');
  const answer = await visit.ask.confirmAddress(visit.token, { json: { channel, code } });
  const wrong = faulty({ fault: 'wrong', channel });
  return await after(visit, answer, {
    done: 'confirmed',
    refused: {
      'bad-request': wrong,
      'contact-code-wrong': wrong,
      'contact-code-needed': faulty({ fault: 'needed', channel }),
    },
  });
}

/** What is not there any more was removed before, by another press of the button. */
async function removeAddress(visit: Visit, channel: CodeChannel): Promise<WholeAnswer | Refusal> {
  const answer = await visit.ask.removeAddress(visit.token, { query: { channel } });
  return await after(visit, answer, { done: 'removed', refused: { 'contact-address-not-found': nothingSent } });
}

const faulty = (address: AddressFault): SentForm => ({ faults: [], address });

/** What is said of a form that went through, and of one that was refused for what it says. */
type Ends = { readonly done: Done; readonly refused: Readonly<Partial<Record<ProblemSlug, SentForm>>> };

async function after(visit: Visit, answer: Answer | Refusal, { done, refused }: Ends): Promise<WholeAnswer | Refusal> {
  if (!('slug' in answer))
    return { status: 303, headers: { location: `${citizenPaths.contact}?done=${done}` }, body: '' };
  const sent = refused[answer.slug];
  return sent === undefined ? answer : await pageAfter(visit, sent);
}

async function pageAfter({ ask, token, view }: Visit, sent: SentForm): Promise<WholeAnswer | Refusal> {
  const answer = await ask.wishes(token);
  if ('slug' in answer) return answer;
  if (!('json' in answer)) throw new TypeError('the operation answers in another form');
  return await contactPage(view, answer.json as Preferences, sent);
}

/** What a form says; undefined where it is none, or larger than any of this page. */
export async function formIn(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const { 'content-type': type = '', 'content-length': length = '0' } = request.headers;
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type) || Number(length) > largestForm) return undefined;
  const bytes = await bytesWithin(request, largestForm);
  return bytes && new URLSearchParams(bytes.toString('utf8'));
}
