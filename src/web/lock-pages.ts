import type { BufferedResponse } from '../api/buffered-response.ts';
import { changeCitizenLock } from '../identity/change-citizen-lock.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { renderLayout } from './citizen-layout.ts';
import type { CitizenRequest } from './citizen-operations.ts';
import { formActions, postForm } from './form-parts.ts';
import { html } from './html.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** Asks whether to lock (`locked`) or unlock the citizen's details; a POST does it. A lock affects every service. */
export async function handleLock(visit: CitizenRequest, locked: boolean): Promise<BufferedResponse | Refusal> {
  if (visit.request.method !== 'POST') return lockPage(visit, locked);
  const answer = await visit.call(changeCitizenLock, visit.token, { json: { locked } });
  // The redirect prevents that a reload repeats the action.
  const done = locked ? 'locked' : 'unlocked';
  if (!('slug' in answer))
    return { status: 303, headers: { location: `${citizenPaths.record}?done=${done}` }, body: '' };
  if (answer.slug === 'too-many-unlocks') return lockPage(visit, locked, true);
  if (answer.slug !== 'citizen-not-found') return answer;
  return { status: 303, headers: { location: citizenPaths.record }, body: '' };
}

/** `tooMany`: the citizen lock cannot be removed again today. */
function lockPage({ view }: CitizenRequest, locked: boolean, tooMany = false): BufferedResponse {
  const { lock } = view.words.record;
  const title = locked ? lock.set : lock.lift;
  const button = html`<button type="submit" class="warning">${title}</button>`;
  const content = html`${tooMany ? html`<p class="note" role="alert">${lock.tooMany}</p>` : ''}
    <p>${locked ? lock.whatLockDoes : lock.whatUnlockDoes}</p><p>${lock.notified}</p>
    ${postForm(view, { action: locked ? citizenPaths.lock : citizenPaths.unlock, content: formActions(button, view.words, citizenPaths.record) })}`;
  return renderLayout(view, { title, content, current: 'record', status: tooMany ? 429 : 200, hasFaults: tooMany });
}
