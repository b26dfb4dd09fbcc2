import type { Clock } from '../../kernel/clock.ts';
import { textAtPointer } from '../../kernel/json-pointer.ts';
import { createPhoneParser } from '../../kernel/phone-number.ts';
import { retryAfterMs } from '../../kernel/retry-after.ts';
import type { InboxLink } from '../inbox/inbox-link.ts';
import type {
  Channel,
  OnProviderFailure,
  OutgoingMessage,
  PreparedMessage,
  ProviderOutcome,
} from '../notification/channel.ts';
import { parseProviderJson } from '../provider-webhooks/provider-json.ts';
import { renderSmsText } from '../rendering/sms-text.ts';
import { type GatewayResponse, type GatewayResult, postOnce } from './gateway-request.ts';
import { gatewayRequestBody, referenceAtPointer, type SmsMapping } from './sms-mapping.ts';
import { smsSenderOf } from './sms-sender.ts';

type SmsGatewayOptions = {
  readonly url: string;
  readonly mapping: SmsMapping;
  /** For a `Retry-After` with a date. */
  readonly clock: Clock;
  /** The page of a message in the inbox; without it, an announcement has no link. */
  readonly inboxLink?: InboxLink | undefined;
  /** The limit for the complete response. */
  readonly timeoutMs?: number;
  readonly onProviderFailure?: OnProviderFailure;
};

const defaultTimeoutMs = 20_000;
/**
 * The cause is not the message: the login (401, 403, 407), the credit (402), or the URL and form of the call (301, 307,
 * 308, 404, 405, 410, 415, 421, 426). Messages wait until the operator has fixed it.
 */
const operatorStatuses = new Set([301, 307, 308, 401, 402, 403, 404, 405, 407, 410, 415, 421, 426]);

/** Creates the channel for text messages through an HTTP gateway that the operator's mapping describes. */
export function createSmsGateway(options: SmsGatewayOptions): Channel {
  const { url, mapping, clock, inboxLink, timeoutMs = defaultTimeoutMs, onProviderFailure } = options;
  const target = new URL(url);
  // Verified numbers have their country code, and register/contact-details.ts adds it to the others.
  const parsePhone = createPhoneParser(undefined);
  return {
    name: 'sms',
    concurrency: 16,
    addressOf: (contact) => contact.phone,
    prepare: async (message: OutgoingMessage): Promise<PreparedMessage | ProviderOutcome> => {
      const to = await parsePhone(message.address);
      if (to === undefined) return { outcome: 'permanent', reason: 'address-invalid' };
      const id = `${message.delivery}.${message.attempt}`;
      const { text } = renderSmsText({ ...message, inbox: inboxLink?.(message.notification) });
      const { type, body } = gatewayRequestBody(mapping, { to, text, id, from: smsSenderOf(message) });
      // Each attempt has a key of its own. An attempt is called once, so no key is used twice.
      const headers = { ...mapping.headers, 'content-type': type, 'idempotency-key': id };
      const call = async () => {
        const result = await postOnce(target, { headers, body }, timeoutMs);
        if ('status' in result ? operatorStatuses.has(result.status) : result.failed === 'before') {
          onProviderFailure?.('status' in result ? `answered ${result.status}` : (result.why ?? 'no answer'));
        }
        return outcomeOf(result, mapping, clock.now());
      };
      return { call, drop: () => undefined };
    },
    close: async () => undefined,
  };
}

/**
 * The meaning of an exchange. Without a connection the gateway has nothing. With one, only a clear response counts: a
 * broken connection, a server error, or a status that the mapping does not know is `unknown`.
 */
function outcomeOf(result: GatewayResult, mapping: SmsMapping, now: number): ProviderOutcome {
  if ('failed' in result) {
    return result.failed === 'before'
      ? { outcome: 'temporary', reason: 'provider-unreachable' }
      : { outcome: 'unknown' };
  }
  const { status } = result;
  if (status >= 200 && status < 300) return acceptedOutcome(result, mapping);
  if (operatorStatuses.has(status)) return { outcome: 'temporary', reason: 'provider-refuses-us' };
  if ([408, 409, 425, 429, 503].includes(status)) {
    const waitMs = retryAfterMs(result.retryAfter, now);
    const wait = waitMs === undefined ? {} : { retryAfterMs: waitMs };
    return { outcome: 'temporary', reason: 'provider-busy', ...wait };
  }
  if (status >= 400 && status < 500) return { outcome: 'permanent', reason: 'message-refused' };
  return { outcome: 'unknown' };
}

function acceptedOutcome({ body }: GatewayResponse, { answer }: SmsMapping): ProviderOutcome {
  const parsed = parseProviderJson(body);
  if (answer?.status !== undefined) {
    const status = textAtPointer(parsed, answer.status);
    if (answer.refused?.includes(status)) return { outcome: 'permanent', reason: 'address-refused' };
    if (!answer.accepted?.includes(status)) return { outcome: 'unknown' };
  }
  const providerRef = answer?.reference === undefined ? undefined : referenceAtPointer(parsed, answer.reference);
  return { outcome: 'sent', ...(providerRef === undefined ? {} : { providerRef }) };
}
