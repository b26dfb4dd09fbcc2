import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PageRoute } from '../api/page-route.ts';
import { refuse } from '../kernel/refusal.ts';

/** A file for service teams that this server offers at `/docs/guide/files/{name}`. */
export type GuideDownload = {
  readonly name: string;
  readonly title: string;
  readonly mediaType: string;
  read(): Promise<Buffer>;
};

const clientPackage = /^citizen-services-client-[\w.-]+\.tgz$/;

/**
 * The files to download. `npm run generate` writes most of them. The build adds the client package to `folder`; a clone without a
 * build, and the image, do not have it.
 */
export async function guideDownloads(folder = import.meta.dirname): Promise<readonly GuideDownload[]> {
  const packages = (await readdir(folder)).filter((name) => clientPackage.test(name));
  return [
    ...(await loadFiles()).map(({ base64, ...file }) => ({ ...file, read: async () => Buffer.from(base64, 'base64') })),
    ...packages.map((name) => ({
      name,
      title: 'Client for TypeScript and JavaScript, an npm package',
      mediaType: 'application/gzip',
      read: async () => await readFile(join(folder, name)),
    })),
  ];
}

/** One file as an attachment. Clients can keep it for five minutes, and then ask with its entity tag. */
export const guideFilePage: PageRoute = {
  path: '/docs/guide/files/:name',
  get: async ({ name }) => {
    const file = (await guideDownloads()).find((one) => one.name === name);
    if (file === undefined) return refuse('not-found', 'No file has this name. See the list at /docs/guide.');
    const body = await file.read();
    const headers = {
      'content-type': file.mediaType,
      'content-disposition': `attachment; filename="${file.name}"`,
      'cache-control': 'public, max-age=300',
      etag: `"${hash('sha256', body, 'base64url')}"`,
    };
    return { status: 200, headers, body };
  },
};

/** Loaded at the first request, as the guides. */
async function loadFiles() {
  return (await import('./guide-files.json', { with: { type: 'json' } })).default;
}
