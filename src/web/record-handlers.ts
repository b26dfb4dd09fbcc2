import type { IncomingMessage } from 'node:http';
import type { BufferedResponse } from '../api/buffered-response.ts';
import type { OwnRecord } from '../identity/read-own-record.ts';
import type { Refusal } from '../kernel/refusal.ts';
import type { PageLayout } from './citizen-layout.ts';
import type { CitizenOperations } from './citizen-operations.ts';
import { parseForm } from './contact-handlers.ts';
import { type CorrectionLink, recordPage } from './record-page.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** A signed-in citizen's request for the page or of its form. */
type RecordRequest = {
  readonly request: IncomingMessage;
  readonly view: PageLayout & CorrectionLink;
  readonly operations: CitizenOperations;
  readonly token: string;
};

/** Shows the register record of the citizen and the citizen lock. */
export async function showRecord(
  { operations, token, view }: RecordRequest,
  tooMany = false,
): Promise<BufferedResponse | Refusal> {
  const answer = await operations.record(token);
  if ('slug' in answer) return answer.slug === 'citizen-not-found' ? recordPage(view, undefined) : answer;
  if (!('json' in answer)) throw new TypeError('the operation answers in another form');
  return recordPage(view, answer.json as OwnRecord, tooMany);
}

/** Sets or removes the citizen lock. Then it redirects to the page, so that a reload does not repeat the action. */
export async function handleLockForm(recordRequest: RecordRequest): Promise<BufferedResponse | Refusal> {
  const wanted = (await parseForm(recordRequest.request))?.get('locked');
  if (wanted !== 'true' && wanted !== 'false') return await showRecord(recordRequest);
  const answer = await recordRequest.operations.changeLock(recordRequest.token, {
    json: { locked: wanted === 'true' },
  });
  if (!('slug' in answer)) return { status: 303, headers: { location: `${citizenPaths.record}#lock` }, body: '' };
  if (answer.slug === 'too-many-unlocks') return await showRecord(recordRequest, true);
  return answer.slug === 'citizen-not-found' ? await showRecord(recordRequest) : answer;
}
