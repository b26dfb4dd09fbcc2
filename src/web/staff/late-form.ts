import type { IncomingMessage } from 'node:http';
import type { Locale } from '../../locales/locale.ts';
import type { CitizenTexts } from '../citizen-texts.ts';
import { maxTextFormBytes, parseForm } from '../form-body.ts';
import { type Html, html } from '../html.ts';
import { readUploadForm, skipUpload } from './batch-upload-form.ts';

/** A form that arrived after the session had ended. A file in it is not read. */
export type LateForm = { readonly fields: URLSearchParams; readonly hasFile: boolean };

/** Reads a form of an ended session; undefined if the request has none. */
export async function readLateForm(request: IncomingMessage): Promise<LateForm | undefined> {
  if (/^multipart\//i.test(request.headers['content-type'] ?? '')) {
    const form = await readUploadForm(request);
    skipUpload(request);
    return form && { fields: new URLSearchParams([...form.fields]), hasFile: true };
  }
  const fields = await parseForm(request, maxTextFormBytes);
  return fields && { fields, hasFile: false };
}

/** Fields that a person does not fill in. */
const unseenFields: readonly string[] = ['step', 'template', 'key', 'count'];

type Texts = { readonly words: CitizenTexts; readonly texts: Locale['staffPages'] };

/** Says what happens to a late form. A form that is too long for a cookie is shown, so that the person can copy it. */
export function lateFormNote({ words, texts }: Texts, { fields, hasFile }: LateForm, isKept: boolean): Html {
  const typed = [...fields].flatMap(([name, value]) => (value === '' || unseenFields.includes(name) ? [] : [value]));
  const file = hasFile ? ` ${texts.batches.upload.fileNotKept}` : '';
  return html`<p class="note">${isKept ? words.signIn.kept : texts.notKept}${file}</p>
    ${isKept ? '' : typed.map((value) => html`<pre dir="auto">${value}</pre>`)}`;
}
