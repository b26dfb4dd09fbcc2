import type { Clock } from '../../kernel/clock.ts';
import { textAtPointer } from '../../kernel/json-pointer.ts';
import { retryAfterMs } from '../../kernel/retry-after.ts';
import { parsePhone } from '../contact/phone-number.ts';
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
import { type GatewayAnswer, type GatewayResult, postOnce } from './gateway-request.ts';
import { gatewayRequestBody, referenceAtPointer, type SmsMapping } from './sms-mapping.ts';

type SmsGatewayOptions = {
  readonly url: string;
  readonly mapping: SmsMapping;
  /** For a `Retry-After` that is a date. */
  readonly clock: Clock;
  /** Where the citizen reads a message in the inbox; without it an announcement does not say. */
  readonly inboxLink?: InboxLink | undefined;
  /** How long the gateway may take for its whole answer. */
  readonly timeoutMs?: number;
  readonly onProviderFailure?: OnProviderFailure;
};

const defaultTimeoutMs = 20_000;
/**
 * Not about the message: the login (401, 403, 407), the credit (402), or where and how the gateway is called (301, 307,
 * 308, 404, 405, 410, 415, 421, 426). The operator mends it, and then the messages go on.
 */
const operatorStatuses = new Set([301, 307, 308, 401, 402, 403, 404, 405, 407, 410, 415, 421, 426]);

/** Text messages through any gateway that takes them by HTTP, as the mapping of the operator says. */
export function createSmsGateway(options: SmsGatewayOptions): Channel {
  const { url, mapping, clock, inboxLink, timeoutMs = defaultTimeoutMs, onProviderFailure } = options;
  const target = new URL(url);
  return {
    name: 'sms',
    concurrency: 16,
    addressOf: (contact) => contact.phone,
    prepare: async (message: OutgoingMessage): Promise<PreparedMessage | ProviderOutcome> => {
      const to = parsePhone(message.address);
      if (to === undefined) return { outcome: 'permanent', reason: 'address-invalid' };
      const id = `${message.delivery}.${message.attempt}`;
      const { text } = renderSmsText({ ...message, inbox: inboxLink?.(message.notification) });
      const { type, body } = gatewayRequestBody(mapping, { to, text, id, from: message.sender });
      // The key is the same for the same attempt only: an attempt is called once.
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
 * What an exchange means. Before the connection stood nothing was taken; after it only a clear answer says so: a broken
 * connection, a server fault or an answer that the mapping does not know leaves `unknown`.
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

function acceptedOutcome({ body }: GatewayAnswer, { answer }: SmsMapping): ProviderOutcome {
  const parsed = parseProviderJson(body);
  if (answer?.status !== undefined) {
    const status = textAtPointer(parsed, answer.status);
    if (answer.refused?.includes(status)) return { outcome: 'permanent', reason: 'address-refused' };
    if (!answer.accepted?.includes(status)) return { outcome: 'unknown' };
  }
  const providerRef = answer?.reference === undefined ? undefined : referenceAtPointer(parsed, answer.reference);
  return { outcome: 'sent', ...(providerRef === undefined ? {} : { providerRef }) };
}
