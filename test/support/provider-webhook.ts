import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { Secret } from '../../src/kernel/secret.ts';
import { defaultSmsMapping, lateReportsInReceipt } from '../../src/notifications/channels/sms-mapping.ts';
import { createProviderWebhook, receiptParser } from '../../src/notifications/provider-webhooks/provider-webhook.ts';

/** Starts the webhook of an SMS gateway on loopback; returns a function that sends a receipt and returns the response status. */
export async function startProviderWebhook(t: TestContext, deps: Parameters<typeof createProviderWebhook>[0]) {
  const server = createServer(
    createProviderWebhook(deps, {
      token: new Secret('t0ken'),
      limitBytes: 1_000,
      read: receiptParser((receipt) => lateReportsInReceipt(defaultSmsMapping, receipt, async () => [])),
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  // It listens on TCP, so its address has a port.
  const { port } = server.address() as AddressInfo;
  return async (id: string | undefined, status: string, token = 't0ken'): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ id, status });
    return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
  };
}
