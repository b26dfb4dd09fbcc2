import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { markStreamed } from '../../api/body-timeouts.ts';

/** The name of the file in the form. It is the last one, so that all other fields come before its bytes. */
export const fileField = 'file';
const formLimits = { fieldNameSize: 64, fieldSize: 4_096, fields: 8, files: 1, parts: 9, headerPairs: 16 };

/** A form with a file, whose bytes are not read yet. */
export type UploadForm = { readonly fields: ReadonlyMap<string, string>; readonly file: UploadedFile | undefined };
type UploadedFile = { readonly name: string; readonly bytes: Readable };

class UploadInterrupted extends Error {
  override readonly name = 'UploadInterrupted';
}

/** Reads a form (RFC 7578) up to the first byte of its file; undefined if the body is no such form. */
export async function readUploadForm(request: IncomingMessage): Promise<UploadForm | undefined> {
  const form = createParser(request.headers['content-type'] ?? '');
  if (form === undefined) return undefined;
  markStreamed(request);
  const fields = new Map<string, string>();
  const opened = Promise.withResolvers<UploadForm | undefined>();
  let bytes: Readable | undefined;
  const interrupt = () => {
    bytes?.destroy(new UploadInterrupted('the form ended before its closing boundary'));
    opened.resolve(undefined);
  };
  form.on('field', (name, value) => fields.set(name, value));
  form.on('file', (...[, stream, fileName]) => {
    bytes = stream;
    // The operation that reads the bytes gets the error.
    stream.on('error', () => undefined);
    // The parser gives undefined for a part without a file name, against its types. Browsers send an empty one for no file.
    const name = fileName ?? '';
    if (name === '') stream.resume();
    opened.resolve({ fields, file: name === '' ? undefined : { name, bytes: stream } });
  });
  form.on('finish', () => opened.resolve({ fields, file: undefined }));
  form.on('error', interrupt);
  request.once('error', interrupt);
  request.once('close', () => {
    if (!request.complete) interrupt();
  });
  request.pipe(form);
  return await opened.promise;
}

/** Reads what is left of the body, so that the browser shows the page instead of a broken connection. */
export function skipUpload(request: IncomingMessage): void {
  request.unpipe();
  request.resume();
}

function createParser(contentType: string): InstanceType<typeof Busboy> | undefined {
  if (!/^multipart\/form-data\s*;/i.test(contentType.trim())) return undefined;
  try {
    const headers = { 'content-type': contentType };
    return new Busboy({ headers, limits: formLimits, isPartAFile: (name) => name === fileField });
  } catch {
    // It throws only for a missing boundary: the type was checked before.
    return undefined;
  }
}
