import type { Read, Statement } from '../../db/database.ts';
import { textField } from '../../db/row-fields.ts';

/** The hosts that the webhooks of a client may have, sorted. An empty list allows every public host. */
export async function findWebhookHosts(read: Read, clientId: string): Promise<string[]> {
  const rows = await read('select host from webhook_host where client_id = $1 order by host', [clientId]);
  return rows.map((row) => textField(row, 'host'));
}

/** Replaces the list of hosts of a client. */
export function replaceWebhookHosts(clientId: string, hosts: readonly string[]): Statement[] {
  return [
    { sql: 'delete from webhook_host where client_id = $1', args: [clientId] },
    ...hosts.map((host) => ({
      sql: 'insert into webhook_host (client_id, host) values ($1, $2)',
      args: [clientId, host],
    })),
  ];
}

/** Parses a host into the form that URLs have: lower case, ASCII, without a port; undefined when it is not a host. Wildcards are rejected. */
export function parseWebhookHost(text: string): string | undefined {
  const url = URL.parse(`https://${text}/`);
  // Anything else in the text, such as a port or a path, would be in the URL.
  return url !== null && !text.includes('*') && url.href === `https://${url.hostname}/` ? url.hostname : undefined;
}
