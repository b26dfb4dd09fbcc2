import type { BufferedResponse } from '../../api/buffered-response.ts';
import { parseId } from '../../kernel/id.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { requestPath, requestQuery } from '../../kernel/request-target.ts';
import { lookUpCitizen } from '../../staff/look-up-citizen.ts';
import type { LookUpAnswer } from '../../staff/look-up-hit.ts';
import { readLookUp } from '../../staff/read-look-up.ts';
import { readJson } from '../citizen-operations.ts';
import { parseForm } from '../form-body.ts';
import { keptFormBanner } from '../form-parts.ts';
import { html } from '../html.ts';
import { lookUpFaults, lookUpForm, parseLookUp } from './look-up-form.ts';
import { handleAct } from './person-acts.ts';
import { actNames, personPage, personPath } from './person-page.ts';
import { staffPaths } from './staff-area.ts';
import type { FormView } from './staff-fields.ts';
import { renderStaffPage, type StaffPage, type StaffVisit } from './staff-page.ts';

const readMethods = ['GET', 'HEAD'] as const;

/** The pages of the helpdesk: the form, the result, one person, and the acts on them. */
export const lookUpPages: readonly StaffPage[] = [
  { path: staffPaths.person, methods: [...readMethods, 'POST'], show: handleLookUp },
  // The result is read with the operation that records nothing, but HEAD has no use here.
  { path: `${staffPaths.person}/:lookUp`, methods: ['GET'], show: showResult },
  { path: `${staffPaths.person}/:lookUp/:position`, methods: ['GET'], show: showPerson },
  { path: `${staffPaths.person}/:lookUp/:position/:act/:subject`, methods: ['GET', 'POST'], show: showAct },
];

async function handleLookUp(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  if (visit.request.method !== 'POST') {
    const kept = visit.keptForm;
    // A link names the message. The person still states the reason and the case.
    const message = new URLSearchParams(requestQuery(visit.request.url)).get('message') ?? '';
    const given = new URLSearchParams(parseId('notification', message) === undefined ? {} : { message });
    return formPage(visit, { values: kept ?? given, faults: [] }, kept !== undefined);
  }
  const values = (await parseForm(visit.request)) ?? new URLSearchParams();
  const body = parseLookUp(visit, values);
  if ('faults' in body) return formPage(visit, { values, faults: body.faults });
  const answer = await readJson<LookUpAnswer>(visit, lookUpCitizen, { json: body });
  if ('json' in answer) return redirectTo(`${staffPaths.person}/${answer.json.id}`);
  if (answer.slug !== 'bad-request') return answer;
  return formPage(visit, { values, faults: lookUpFaults(visit, answer) });
}

function formPage(visit: StaffVisit, view: FormView, isKept = false): BufferedResponse {
  const content = html`${isKept ? keptFormBanner(visit.layout.words) : ''}${lookUpForm(visit, view)}`;
  const hasFaults = view.faults.length > 0;
  return renderStaffPage(visit, { title: visit.texts.sections.person, content, section: 'person', hasFaults });
}

/** A redirect to another page of staff. */
function redirectTo(location: string): BufferedResponse {
  return { status: 303, headers: { location }, body: '' };
}

/** The parts of the path after `/staff/person/`. */
const partsOf = ({ request }: StaffVisit) => requestPath(request.url).split('/').slice(3);

/** One person is shown at once; of several, the person chooses one. */
async function showResult(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const [lookUp = ''] = partsOf(visit);
  const answer = await readAgain(visit, lookUp);
  if (!('json' in answer)) return answer;
  const { hits, hasMore } = answer.json;
  const [only] = hits;
  if (hits.length === 1 && only !== undefined) return redirectTo(personPath({ lookUp, position: 1 }));
  const { person } = visit.texts;
  const list = html`<ul class="list">${hits.map(
    ({ citizenId }, index) =>
      html`<li><a href="${personPath({ lookUp, position: index + 1 })}"><bdi>${citizenId}</bdi></a></li>`,
  )}</ul>`;
  const content = html`${hits.length === 0 ? html`<p>${person.noneText}</p>` : list}
    ${hasMore ? html`<p>${person.hasMore}</p>` : ''}
    <p><a href="${staffPaths.person}">${person.another}</a></p>`;
  const title = hits.length === 0 ? person.none : person.several;
  return renderStaffPage(visit, { title, content, section: 'person' });
}

async function showPerson(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const [lookUp = '', position = ''] = partsOf(visit);
  const answer = await readAgain(visit, lookUp);
  if (!('json' in answer)) return answer;
  const hit = answer.json.hits[Number(position) - 1];
  if (hit === undefined) return overPage(visit);
  const query = new URLSearchParams(requestQuery(visit.request.url));
  const done = actNames.find((one) => one === query.get('done'));
  return personPage(visit, { hit, address: { lookUp, position: Number(position) }, done });
}

async function showAct(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const [lookUp = '', position = '', actName, subject = ''] = partsOf(visit);
  const answer = await readAgain(visit, lookUp);
  if (!('json' in answer)) return answer;
  const hit = answer.json.hits[Number(position) - 1];
  const act = actNames.find((one) => one === actName);
  if (hit === undefined || act === undefined) return overPage(visit);
  const address = { lookUp, position: Number(position) };
  const outcome = await handleAct(visit, { act, subject, address, hit, lookUp: answer.json });
  return outcome === 'done' ? redirectTo(`${personPath(address)}?done=${act}`) : outcome;
}

/** The look-up as its person can read it again, or the page that says that it is over. */
async function readAgain(
  visit: StaffVisit,
  id: string,
): Promise<{ readonly json: LookUpAnswer } | BufferedResponse | Refusal> {
  const query = { language: visit.layout.words.language };
  const answer = await readJson<LookUpAnswer>(visit, readLookUp, { params: { id }, query });
  return 'slug' in answer && answer.slug === 'look-up-not-found' ? overPage(visit) : answer;
}

function overPage(visit: StaffVisit): BufferedResponse {
  const { over, overText, another } = visit.texts.person;
  const content = html`<p>${overText}</p><p><a href="${staffPaths.person}">${another}</a></p>`;
  return renderStaffPage(visit, { title: over, content, status: 404, section: 'person' });
}
