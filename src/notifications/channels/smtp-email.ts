import { unbracketedHost } from '../../kernel/unbracketed-host.ts';
import type {
  Channel,
  OnProviderFailure,
  OutgoingMessage,
  PreparedMessage,
  ProviderOutcome,
} from '../notification/channel.ts';
import { replyStatusCategoryOf, type StatusCategory } from '../provider-webhooks/enhanced-status.ts';
import { composeMail } from './compose-mail.ts';
import { createDkimSigner, type DkimKey } from './dkim.ts';
import { type MailSender, mailFor } from './mail.ts';
import { createSmtpPool, type RelayOptions, type SmtpFault } from './smtp-pool.ts';

type SmtpEmailOptions = {
  /** `smtp://` or `smtps://`, with user and password if the relay requires them; see `parseRelayUrl`. */
  readonly url: string;
  readonly sender: MailSender;
  /** How long the relay may be silent until it accepts DATA; after that time the call fails and nothing was sent. */
  readonly replyTimeoutMs?: number;
  /** How long it may be silent after that; then the outcome is unknown. */
  readonly dataReplyTimeoutMs?: number;
  /** The key that signs each mail; without it, mails are not signed here. */
  readonly dkim?: DkimKey | undefined;
  readonly onProviderFailure?: OnProviderFailure;
};

const defaultConnections = 20;
const defaultReplyTimeoutMs = 60_000;
/** RFC 5321, section 4.5.3.2.6: a relay may inspect a message for 10 minutes. Shorter than the limit of a call in the worker. */
const defaultDataReplyTimeoutMs = 10 * 60_000;
const connectTimeoutMs = 15_000;

/** Creates the channel for email through the operator's relay. A mail has the whole text of the message. */
export function createSmtpEmail(options: SmtpEmailOptions): Channel {
  const { replyTimeoutMs = defaultReplyTimeoutMs, dataReplyTimeoutMs = defaultDataReplyTimeoutMs } = options;
  const { connectionCount, ...relay } = parseRelayUrl(options.url, replyTimeoutMs);
  const pool = createSmtpPool({ ...relay, replyTimeoutMs, dataReplyTimeoutMs });
  const sign = options.dkim === undefined ? undefined : createDkimSigner(options.dkim);
  function failedOutcome(fault: SmtpFault): ProviderOutcome {
    const outcome = outcomeOf(fault);
    if (outcome.outcome === 'temporary' && operatorReasons.has(outcome.reason))
      options.onProviderFailure?.(failureDetailOf(fault));
    return outcome;
  }

  return {
    name: 'email',
    concurrency: connectionCount,
    addressOf: (contact) => contact.email,
    prepare: async (message: OutgoingMessage): Promise<PreparedMessage | ProviderOutcome> => {
      const mail = mailFor(message, options.sender);
      if (mail === undefined) return { outcome: 'permanent', reason: 'address-invalid' };
      const composed = composeMail(mail);
      const raw = sign === undefined ? composed : await sign(composed);
      const session = await pool.acquire();
      if ('fault' in session) return failedOutcome(session.fault);
      return {
        call: async () => {
          const fault = await pool.send(
            session,
            { from: options.sender.returnPath?.(message) ?? mail.from.address, to: mail.to },
            raw,
          );
          return fault === undefined ? { outcome: 'sent' } : failedOutcome(fault);
        },
        drop: () => pool.release(session),
      };
    },
    close: async () => pool.close(),
  };
}

/** The operator has to fix the cause of these; the sender and the citizen cannot. */
const operatorReasons: ReadonlySet<string> = new Set(['provider-unreachable', 'provider-refuses-us']);

/** Only the codes of a reply, because its text may repeat an address or a password. */
function failureDetailOf({ command, message, responseCode, response }: SmtpFault): string {
  if (responseCode === undefined && !/^(?:AUTH|MAIL|RCPT|DATA)/.test(command)) return message;
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})(?!\S)/.exec(response)?.[1] ?? '';
  return `${command} was answered ${responseCode ?? 'with no reply'} ${status}`.trimEnd();
}

/**
 * The relay at a URL. `?connections=8` limits the open connections (default 20). Mail to another machine must be encrypted,
 * unless the URL has `?tls=optional`. Throws a TypeError for other parameters, so that a misspelt one is noticed.
 */
export function parseRelayUrl(
  text: string,
  replyTimeoutMs: number,
): RelayOptions & { readonly connectionCount: number } {
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  for (const name of url.searchParams.keys()) {
    if (name !== 'connections' && name !== 'tls') throw new TypeError(`unknown parameter ${name}`);
  }
  const tls = url.searchParams.get('tls') ?? 'required';
  if (tls !== 'required' && tls !== 'optional') throw new TypeError('expected tls=required or tls=optional');
  const connectionCount = Number(url.searchParams.get('connections') ?? defaultConnections);
  if (!Number.isInteger(connectionCount) || connectionCount < 1 || connectionCount > 200) {
    throw new TypeError('expected a number of connections from 1 to 200');
  }
  const host = unbracketedHost(url);
  const loopback = host === 'localhost' || host === '::1' || host.startsWith('127.');
  const user = decodeURIComponent(url.username);
  return {
    connectionCount,
    login: user === '' ? undefined : { user, pass: decodeURIComponent(url.password) },
    messagesPerConnection: 1_000,
    connection: {
      host,
      port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
      secure,
      requireTLS: !secure && !loopback && tls === 'required',
      connectionTimeout: connectTimeoutMs,
      greetingTimeout: Math.min(connectTimeoutMs, replyTimeoutMs),
      socketTimeout: replyTimeoutMs,
      maxResponseSize: 16_384,
    },
  };
}

/**
 * The meaning of a failed call (RFC 5321, section 4.2.1). A reply proves that the relay did not accept the mail. Without a
 * reply it depends on whether the message had begun: before, the relay has nothing; after, the outcome is unknown.
 */
function outcomeOf(fault: SmtpFault): ProviderOutcome {
  const { responseCode, command } = fault;
  if (responseCode === undefined || responseCode < 400 || responseCode > 599) return outcomeWithoutReply(fault);
  const permanent = responseCode >= 500 && responseCode !== 503;
  const category = replyStatusCategoryOf(fault.response);
  if (command === 'RCPT TO' || command === 'DATA') {
    // RFC 5321, section 4.5.3.1.10: 552 at the recipient is to be treated as 452.
    const full = category === 'full' || (category === undefined && responseCode === 552 && command === 'RCPT TO');
    if (full) return { outcome: 'temporary', reason: 'mailbox-full' };
    if (permanent) return refusedOutcome(category, command);
  }
  // The size is part of MAIL FROM (RFC 1870), so a relay can reject the message there.
  if (permanent && category === 'message') return { outcome: 'permanent', reason: 'message-refused' };
  // The relay rejects this server and not this mail. The mail waits until the operator has fixed that.
  return { outcome: 'temporary', reason: permanent || category === 'sender' ? 'provider-refuses-us' : 'provider-busy' };
}

/** The meaning of a permanent rejection of the recipient or of the message, by its enhanced status if it has one. */
function refusedOutcome(
  category: Exclude<StatusCategory, 'full'> | undefined,
  command: 'RCPT TO' | 'DATA',
): ProviderOutcome {
  const atRecipient = command === 'RCPT TO';
  switch (category) {
    case 'address':
      return { outcome: 'permanent', reason: 'address-refused' };
    case 'network':
      return { outcome: 'permanent', reason: 'destination-unreachable' };
    case 'sender':
    case 'system':
      return { outcome: 'temporary', reason: 'provider-refuses-us' };
    case 'policy':
      // Before the message, a policy is about the sender, such as "relaying denied".
      return atRecipient
        ? { outcome: 'temporary', reason: 'provider-refuses-us' }
        : { outcome: 'permanent', reason: 'message-refused' };
    case 'message':
      return { outcome: 'permanent', reason: 'message-refused' };
    case undefined:
      return { outcome: 'permanent', reason: atRecipient ? 'address-refused' : 'message-refused' };
  }
}

/** No reply came, or one that is no rejection. The address cannot be the cause: it was validated before the call. */
function outcomeWithoutReply({ dataStarted, code }: SmtpFault): ProviderOutcome {
  if (dataStarted) return { outcome: 'unknown' };
  if (code === 'EMESSAGE') return { outcome: 'permanent', reason: 'message-refused' };
  const ours = code === 'EAUTH' || code === 'ETLS' || code === 'EENVELOPE';
  return { outcome: 'temporary', reason: ours ? 'provider-refuses-us' : 'provider-unreachable' };
}
