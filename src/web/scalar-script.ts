import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { chooseContentCoding } from '../api/content-coding.ts';
import type { PageRoute } from '../api/page-route.ts';

/** The version of `@scalar/fastify-api-reference` in package.json. A test compares them. */
export const scalarVersion = '1.76.3';

/** The path contains the version, so that browsers may cache the script forever. */
export const scalarScriptPath = `/assets/scalar-${scalarVersion}.js`;

const maxPackedBytes = 8 * 1_024 * 1_024;
const loadTimeoutMs = 30_000;

/** The script of Scalar, which shows the OpenAPI document. It is loaded at the first request, and stays in memory with and without compression. */
export function scalarScript(): PageRoute {
  const packed = createOnce(loadPackedScript);
  const plain = createOnce(async () => await promisify(gunzip)(await packed()));
  return {
    path: scalarScriptPath,
    get: async (_params, _query, acceptEncoding) => {
      const headers = {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      };
      return chooseContentCoding(acceptEncoding, ['gzip', 'identity']) === 'gzip'
        ? { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: await packed() }
        : { status: 200, headers, body: await plain() };
    },
  };
}

/** Calls `load` once for all callers. After a failure, the next caller tries again. */
function createOnce(load: () => Promise<Buffer>): () => Promise<Buffer> {
  let loaded: Promise<Buffer> | undefined;
  return async () => {
    loaded ??= load();
    try {
      return await loaded;
    } catch (fault) {
      loaded = undefined;
      throw fault;
    }
  };
}

/** Loads the script in a child process, because the package blocks an event loop for 150 ms and takes 60 MB of memory. */
async function loadPackedScript(): Promise<Buffer> {
  const path = import.meta.filename.replace(/scalar-script(\.[jt]s)$/, 'scalar-process$1');
  const limits = { encoding: 'buffer', maxBuffer: maxPackedBytes, timeout: loadTimeoutMs } as const;
  const { stdout } = await promisify(execFile)(process.execPath, [path], { ...limits, env: {} });
  return stdout;
}
