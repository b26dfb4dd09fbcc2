import type { Client } from '../access/client.ts';
import type { Access } from '../compose.ts';
import type { Settings } from '../config/settings.ts';
import { houseClient } from '../notifications/house-message.ts';
import type { SenderOf, SendingService } from '../notifications/ports.ts';

type Clients = { readonly clients: { get(clientId: string): Client | undefined } };

/** The services behind clients, as citizens read them; the server itself writes in the name of its register. */
export function servicesOf({ clients }: Clients, { registerName }: Pick<Settings, 'registerName'>) {
  return (clientId: string): SendingService =>
    clients.get(clientId) ?? { name: clientId === houseClient ? registerName : clientId };
}

/** The same, as they are now. */
export function sendersOf({ clients }: Access, settings: Settings): SenderOf {
  const serviceOf = servicesOf({ clients }, settings);
  return async (clientId) => {
    if (!clients.fresh()) await clients.refresh();
    return serviceOf(clientId);
  };
}
