import type { BufferedResponse } from '../../api/buffered-response.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { requestPath, requestQuery } from '../../kernel/request-target.ts';
import { createServiceTemplate } from '../../staff/create-service-template.ts';
import { listServiceTemplates } from '../../staff/list-service-templates.ts';
import { readServiceTemplate } from '../../staff/read-service-template.ts';
import { removeServiceTemplate } from '../../staff/remove-service-template.ts';
import { dayElement } from '../citizen-layout.ts';
import { readJson } from '../citizen-operations.ts';
import { maxTextFormBytes, parseForm } from '../form-body.ts';
import { formActions, keptFormBanner, successBanner } from '../form-parts.ts';
import { type Html, html } from '../html.ts';
import { languageName } from '../language-names.ts';
import { faultsOf, tooLongFault } from './issue-faults.ts';
import type { ServiceTemplate } from './send-form.ts';
import { staffPaths } from './staff-area.ts';
import type { FormView } from './staff-fields.ts';
import { renderStaffPage, type StaffPage, type StaffVisit } from './staff-page.ts';
import {
  newTemplatePath,
  parseTemplateForm,
  templateFieldOf,
  templateForm,
  templatePreview,
  templateValues,
  withOneMoreText,
} from './template-form.ts';

/** The pages of templates. The form of a new one is in the place of the id `new`. */
export const templatePages: readonly StaffPage[] = [
  { path: staffPaths.templates, methods: ['GET', 'HEAD'], show: showTemplates },
  { path: `${staffPaths.templates}/:id`, methods: ['GET', 'HEAD', 'POST'], show: handleTemplate },
  { path: `${staffPaths.templates}/:id/remove`, methods: ['GET', 'HEAD', 'POST'], show: handleRemoval },
];

type Outcome = Promise<BufferedResponse | Refusal>;

const redirectAfter = (done: 'saved' | 'removed'): BufferedResponse => ({
  status: 303,
  headers: { location: `${staffPaths.templates}?done=${done}` },
  body: '',
});
const idOf = ({ request }: StaffVisit) => requestPath(request.url).split('/')[3] ?? '';
const queryOf = ({ request }: StaffVisit) => new URLSearchParams(requestQuery(request.url));

async function showTemplates(visit: StaffVisit): Outcome {
  const answer = await readJson<{ readonly items: readonly ServiceTemplate[] }>(visit, listServiceTemplates);
  if (!('json' in answer)) return answer;
  const { templates, sections } = visit.texts;
  const { items } = answer.json;
  const done = (['saved', 'removed'] as const).find((one) => one === queryOf(visit).get('done'));
  const list = html`<ul class="list">${items.map((item) => templateRow(visit, item))}</ul>`;
  const content = html`${done === undefined ? '' : successBanner(templates[done])}
    <p><a class="action" href="${newTemplatePath}">${templates.create}</a></p>
    ${items.length === 0 ? html`<p>${templates.none}</p>` : list}`;
  return renderStaffPage(visit, { title: sections.templates, content, section: 'templates' });
}

function templateRow({ layout: { words } }: StaffVisit, { id, name, languages, createdAt }: ServiceTemplate): Html {
  const list = new Intl.ListFormat(words.language, { type: 'unit' });
  const names = list.format(languages.map((tag) => languageName(words.language, tag)));
  return html`<li><p><a href="${staffPaths.templates}/${id}"><bdi>${name}</bdi></a></p>
      <p>${names}, ${dayElement(words, createdAt)}</p></li>`;
}

async function handleTemplate(visit: StaffVisit): Outcome {
  const id = idOf(visit);
  if (id === 'new') return await handleNew(visit);
  const answer = await readTemplate(visit, id);
  if (!('json' in answer)) return answer;
  const template = answer.json;
  const { templates, send } = visit.texts;
  const path = `${staffPaths.templates}/${template.id}`;
  const values = template.placeholders.join(', ');
  const content = html`${values === '' ? '' : html`<p>${templates.placeholders}: <bdi>${values}</bdi></p>`}
    ${templatePreview(visit, template.texts)}
    <ul><li><a href="${staffPaths.send}?template=${template.id}">${templates.use}</a></li>
      <li><a href="${newTemplatePath}?from=${template.id}">${templates.newVersion}</a></li>
      <li><a href="${path}/remove">${templates.remove}</a></li></ul>`;
  const title = `${send.template}: ${template.name}`;
  return renderStaffPage(visit, { title, content, section: 'templates' });
}

const readTemplate = (visit: StaffVisit, id: string) =>
  readJson<ServiceTemplate>(visit, readServiceTemplate, { params: { id } });

/** The form of a new template, or of a new version of another one. */
async function handleNew(visit: StaffVisit): Outcome {
  if (visit.request.method === 'POST')
    return await handleForm(visit, (await parseForm(visit.request, maxTextFormBytes)) ?? new URLSearchParams());
  if (visit.keptForm !== undefined) return formPage(visit, { values: visit.keptForm, faults: [] }, { isKept: true });
  const from = queryOf(visit).get('from');
  if (from === null) return formPage(visit, { values: new URLSearchParams(), faults: [] });
  const answer = await readTemplate(visit, from);
  return 'json' in answer ? formPage(visit, { values: templateValues(answer.json), faults: [] }) : answer;
}

async function handleForm(visit: StaffVisit, values: URLSearchParams): Outcome {
  const step = values.get('step');
  if (step === 'add') return formPage(visit, { values: withOneMoreText(visit, values), faults: [] });
  const body = parseTemplateForm(values);
  if (step === 'preview')
    return formPage(visit, { values, faults: [] }, { preview: templatePreview(visit, body.texts) });
  const answer = await visit.call(createServiceTemplate, visit.token, { json: body });
  if (!('slug' in answer)) return redirectAfter('saved');
  if (answer.slug === 'payload-too-large')
    return formPage(visit, {
      values,
      faults: [tooLongFault(visit, { field: 'message-0', label: visit.texts.send.text })],
    });
  if (answer.slug !== 'bad-request') return answer;
  return formPage(visit, { values, faults: faultsOf(visit, answer, (pointer) => templateFieldOf(visit, pointer)) });
}

type FormExtras = { readonly isKept?: boolean; readonly preview?: Html };

function formPage(visit: StaffVisit, view: FormView, { isKept = false, preview }: FormExtras = {}): BufferedResponse {
  const { layout, texts } = visit;
  const shown = preview === undefined ? '' : html`<div role="status" tabindex="-1" autofocus>${preview}</div>`;
  const content = html`${isKept ? keptFormBanner(layout.words) : ''}${shown}${templateForm(visit, view)}`;
  const hasFaults = view.faults.length > 0;
  return renderStaffPage(visit, { title: texts.templates.create, content, section: 'templates', hasFaults });
}

/** Asks before a template is removed. */
async function handleRemoval(visit: StaffVisit): Outcome {
  const id = idOf(visit);
  if (visit.request.method === 'POST') {
    visit.request.resume();
    const answer = await visit.call(removeServiceTemplate, visit.token, { params: { id } });
    return 'slug' in answer ? answer : redirectAfter('removed');
  }
  const answer = await readTemplate(visit, id);
  if (!('json' in answer)) return answer;
  const { templates } = visit.texts;
  const path = `${staffPaths.templates}/${id}`;
  const button = html`<button type="submit" class="warning">${templates.remove}</button>`;
  const content = html`<p><bdi>${answer.json.name}</bdi></p><p>${templates.removeText}</p>
    <form method="post" action="${path}/remove">${formActions(button, visit.layout.words, path)}</form>`;
  return renderStaffPage(visit, { title: templates.removeTitle, content, section: 'templates' });
}
