import type { Page, PageAnswer } from '../api/server.ts';
import { refuse } from '../kernel/problem.ts';
import type { LogView } from '../ledger/log-view.ts';
import { parseTilePath } from '../ledger/tile.ts';

const bytesForEver = {
  'content-type': 'application/octet-stream',
  'cache-control': 'public, max-age=31536000, immutable',
  'access-control-allow-origin': '*',
};

const noTile =
  'The signed log has no such tile: its size stands in /ledger/checkpoint, and which tiles that has in c2sp.org/tlog-tiles.';

/**
 * The log as anyone can fetch it (c2sp.org/tlog-tiles) under `/ledger/`: the signed checkpoint, the hashes, the entries.
 * What is sealed in an entry stays sealed; a browser may verify from any page.
 */
export function ledgerPages(log: LogView): readonly Page[] {
  return [
    {
      path: '/ledger/checkpoint',
      get: async (): Promise<PageAnswer> => {
        const published = await log.published();
        if (published === undefined) {
          return refuse('not-found', 'No checkpoint has been signed yet.', { headers: { 'retry-after': '1' } });
        }
        const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=1' };
        return { status: 200, headers: { ...headers, 'access-control-allow-origin': '*' }, body: published.note };
      },
    },
    {
      path: '/ledger/tile/*',
      get: async (params): Promise<PageAnswer> => {
        const name = parseTilePath(`tile/${params['*'] ?? ''}`);
        const bytes = name === undefined ? undefined : await log.tile(name);
        if (bytes === undefined) return refuse('not-found', noTile);
        const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
        return { status: 200, headers: bytesForEver, body };
      },
    },
  ];
}
