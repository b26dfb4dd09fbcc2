import type { Client } from '../auth/client.ts';
import type { Settings } from '../config/settings.ts';
import type { SenderOf, SendingService } from '../notifications/ports.ts';
import { systemClient } from '../notifications/system-messages/system-message.ts';
import type { AuthContext } from './app-context.ts';

type Clients = { readonly clients: { get(clientId: string): Client | undefined } };

/** The services behind clients, as citizens read them; the server itself writes in the name of its register. */
export function createServiceLookup({ clients }: Clients, { registerName }: Pick<Settings, 'registerName'>) {
  return (clientId: string): SendingService =>
    clients.get(clientId) ?? { name: clientId === systemClient ? registerName : clientId };
}

/** The same, as they are now. */
export function createSenderLookup({ clients }: AuthContext, settings: Settings): SenderOf {
  const serviceOf = createServiceLookup({ clients }, settings);
  return async (clientId) => {
    if (!clients.isFresh()) await clients.refresh();
    return serviceOf(clientId);
  };
}
