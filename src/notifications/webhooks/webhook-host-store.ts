import type { Read, Statement } from '../../db/database.ts';
import { textField } from '../../db/row-fields.ts';

/** The hosts that a client may be called at, in alphabetic order; none stated means every public one. */
export async function findWebhookHosts(read: Read, clientId: string): Promise<string[]> {
  const rows = await read('select host from webhook_host where client_id = $1 order by host', [clientId]);
  return rows.map((row) => textField(row, 'host'));
}

/** The statements that state a client's hosts anew. */
export function replaceWebhookHosts(clientId: string, hosts: readonly string[]): Statement[] {
  return [
    { sql: 'delete from webhook_host where client_id = $1', args: [clientId] },
    ...hosts.map((host) => ({
      sql: 'insert into webhook_host (client_id, host) values ($1, $2)',
      args: [clientId, host],
    })),
  ];
}

/** A host as URLs have it: in lower case and ASCII, without a port; undefined where it is none. A star would stand for itself. */
export function parseWebhookHost(text: string): string | undefined {
  const url = URL.parse(`https://${text}/`);
  // Whatever else the text had stands somewhere in the URL.
  return url !== null && !text.includes('*') && url.href === `https://${url.hostname}/` ? url.hostname : undefined;
}
