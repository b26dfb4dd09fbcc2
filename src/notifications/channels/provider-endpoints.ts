import type { MountedHandler } from '../../api/page-route.ts';
import type { SliceDeps } from '../../api/slice.ts';
import type { Secret } from '../../kernel/secret.ts';
import { parseBounce } from '../provider-webhooks/bounce.ts';
import { confirmationUrlIn, lateReportsInMailEvents } from '../provider-webhooks/mail-events.ts';
import { bounceAddressesOf, mailEventsOf } from '../provider-webhooks/provider-settings.ts';
import {
  createProviderWebhook,
  type ProviderWebhook,
  providerWebhookPaths,
  receiptParser,
} from '../provider-webhooks/provider-webhook.ts';
import { findSmsDeliveriesByReference } from '../provider-webhooks/sms-reference-store.ts';
import { smsMappingOf } from './create-channels.ts';
import { lateReportsInReceipt } from './sms-mapping.ts';

/** A gateway can send several thousand receipts at once. */
const receiptBytes = 1_048_576;
/** A bounce may contain the whole message; its report precedes that. */
const bounceBytes = 1_048_576;
const eventBytes = 4_194_304;

/** The endpoints that providers call to report deliveries. An endpoint without a token in the settings is absent. */
export function providerEndpoints(deps: SliceDeps): readonly MountedHandler[] {
  const { settings, db } = deps;
  const webhookDeps = {
    ...deps,
    read: db.read,
    onFault: (fault: unknown) => deps.log.fault('provider-webhooks', fault),
  };
  const mounts: MountedHandler[] = [];
  const mountWebhook = (path: string, token: Secret | undefined, caller: Omit<ProviderWebhook, 'token'>) => {
    if (token === undefined) return;
    const handler = createProviderWebhook(webhookDeps, { token, ...caller });
    mounts.push({ methods: [caller.method ?? 'POST'], paths: [path], handler });
  };
  const sms = smsMappingOf(settings);
  mountWebhook(providerWebhookPaths.sms, settings.smsReceiptToken, {
    limitBytes: receiptBytes,
    method: sms.receipt?.method,
    read: receiptParser((receipt) =>
      lateReportsInReceipt(sms, receipt, (reference) => findSmsDeliveriesByReference(db.read, reference)),
    ),
  });
  const addresses = bounceAddressesOf(deps);
  if (addresses !== undefined) {
    const read = (raw: string) => [parseBounce(raw, addresses)].filter((report) => report !== undefined);
    mountWebhook(providerWebhookPaths.mail, settings.bounceToken, { limitBytes: bounceBytes, read });
  }
  const events = mailEventsOf(settings);
  if (events !== undefined) {
    const read = receiptParser((body) => {
      const url = confirmationUrlIn(events, body);
      if (url === undefined) return lateReportsInMailEvents(events, body);
      deps.log.notice('open this URL to confirm the webhook of the mail provider', { url });
      return [];
    });
    mountWebhook(providerWebhookPaths.mailEvents, settings.mailEventsToken, { limitBytes: eventBytes, read });
  }
  return mounts;
}
