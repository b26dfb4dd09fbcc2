import { createCipheriv, createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { bearerHeaders, createHttpClient, parseJsonBody } from './http-client.ts';

/** Processes that deposit documents repeatedly. */
export type DocumentUploaders = {
  /** The documents answered with 201, with the index of their size. */
  readonly deposited: ReadonlyMap<string, number>;
  /** The number of failed deposits. */
  readonly failedUploads: { count: number };
  /** Lets each process end after its current deposit. */
  finish(): void;
  readonly ended: Promise<void>;
};

/** The bytes of a document of that size: random-looking, and always the same. */
export function makeDocumentBytes(size: number): Buffer {
  const key = createHash('sha256').update(String(size)).digest();
  const bytes = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size));
  bytes.write('%PDF-1.7\n');
  return bytes;
}

/** Starts one process for each size; each deposits for that citizen and reports the digest. */
export function startDocumentUploaders(
  url: string,
  token: string,
  { citizenId, sizes }: { readonly citizenId: string; readonly sizes: readonly number[] },
): DocumentUploaders {
  const deposited = new Map<string, number>();
  const failedUploads = { count: 0 };
  let finishing = false;

  async function upload(size: number): Promise<void> {
    const ask = createHttpClient(url);
    const body = makeDocumentBytes(size);
    const digest = createHash('sha256').update(body).digest('base64');
    const headers = bearerHeaders(token, {
      ...{ 'content-type': 'application/pdf', 'content-length': size, 'repr-digest': `sha-256=:${digest}:` },
      ...{ 'citizen-id': citizenId, 'document-title': 'Under way' },
    });
    while (!finishing) {
      try {
        const answer = await ask({ method: 'POST', path: '/v1/documents', headers, body });
        if (answer.status === 201) deposited.set(String(parseJsonBody(answer)['id']), size);
        else failedUploads.count += 1;
      } catch (fault) {
        if (!(fault instanceof Error && 'code' in fault)) throw fault;
        failedUploads.count += 1;
      }
      await pause(20);
    }
  }

  return {
    ...{ deposited, failedUploads },
    finish: () => {
      finishing = true;
    },
    ended: Promise.all(sizes.map(upload)).then(() => undefined),
  };
}
