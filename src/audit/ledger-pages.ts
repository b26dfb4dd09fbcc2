import type { PageResponse, PageRoute } from '../api/page-route.ts';
import { refuse } from '../kernel/refusal.ts';
import type { LogView } from '../ledger/log-view.ts';
import { parseTilePath } from '../ledger/tlog/tile.ts';

const immutableHeaders = {
  'content-type': 'application/octet-stream',
  'cache-control': 'public, max-age=31536000, immutable',
  'access-control-allow-origin': '*',
};

const noTileDetail =
  'The ledger has no such tile. Its size is in /ledger/checkpoint, and c2sp.org/tlog-tiles defines the tiles of that size.';

/**
 * The public log (c2sp.org/tlog-tiles) under `/ledger/`: the signed checkpoint, hashes and entries. Contents stay encrypted.
 * CORS lets a browser verify from any page.
 */
export function ledgerPages(log: LogView): readonly PageRoute[] {
  return [
    {
      path: '/ledger/checkpoint',
      get: async (): Promise<PageResponse> => {
        const published = await log.publishedCheckpoint();
        if (published === undefined) {
          return refuse('not-found', 'The server has not signed a checkpoint yet. Repeat the request in a second.', {
            headers: { 'retry-after': '1' },
          });
        }
        const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=1' };
        return { status: 200, headers: { ...headers, 'access-control-allow-origin': '*' }, body: published.note };
      },
    },
    {
      path: '/ledger/tile/*',
      get: async (params): Promise<PageResponse> => {
        const name = parseTilePath(`tile/${params['*'] ?? ''}`);
        const bytes = name === undefined ? undefined : await log.readTile(name);
        if (bytes === undefined) return refuse('not-found', noTileDetail);
        const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
        return { status: 200, headers: immutableHeaders, body };
      },
    },
  ];
}
