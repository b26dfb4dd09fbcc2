import type { IncomingMessage } from 'node:http';
import type { WholeAnswer } from '../api/whole-answer.ts';
import type { OwnRecord } from '../identity/read-own-record.ts';
import type { Refusal } from '../kernel/problem.ts';
import type { CitizenOperations } from './ask-operations.ts';
import type { Frame } from './citizen-frame.ts';
import { citizenPaths } from './citizen-session.ts';
import { formIn } from './contact-visits.ts';
import { type Corrections, recordPage } from './record-page.ts';

/** A request for the page, or of its form, of a citizen who is signed in. */
type Visit = {
  readonly request: IncomingMessage;
  readonly view: Frame & Corrections;
  readonly ask: CitizenOperations;
  readonly token: string;
};

/** What the register has about the citizen, and the own lock. */
export async function showRecord({ ask, token, view }: Visit, tooMany = false): Promise<WholeAnswer | Refusal> {
  const answer = await ask.record(token);
  if ('slug' in answer) return answer.slug === 'citizen-not-found' ? await recordPage(view, undefined) : answer;
  if (!('json' in answer)) throw new TypeError('the operation answers in another form');
  return await recordPage(view, answer.json as OwnRecord, tooMany);
}

/** Sets or lifts the lock. The browser is sent to the page anew, so that loading it again does nothing again. */
export async function takeLockForm(visit: Visit): Promise<WholeAnswer | Refusal> {
  const wanted = (await formIn(visit.request))?.get('locked');
  if (wanted !== 'true' && wanted !== 'false') return await showRecord(visit);
  const answer = await visit.ask.changeLock(visit.token, { json: { locked: wanted === 'true' } });
  if (!('slug' in answer)) return { status: 303, headers: { location: `${citizenPaths.record}#lock` }, body: '' };
  if (answer.slug === 'too-many-unlocks') return await showRecord(visit, true);
  return answer.slug === 'citizen-not-found' ? await showRecord(visit) : answer;
}
