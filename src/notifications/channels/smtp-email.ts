import { hostOf } from '../../kernel/url-host.ts';
import { matterOfReply, type StatusMatter } from '../callbacks/mail-status.ts';
import type { Channel, Message, OnTrouble, Outcome, Ready } from './channel.ts';
import { composeMail } from './compose-mail.ts';
import { createDkim, type DkimKey } from './dkim.ts';
import { mailOf, type Sender } from './mail.ts';
import { createConnections, type RelayAt, type SmtpFault } from './smtp-connections.ts';

type SmtpEmailOptions = {
  /** `smtp://` or `smtps://`, with user and password where the relay wants them; see `relayOf`. */
  readonly url: string;
  readonly sender: Sender;
  /** How long the relay may be silent until it asks for the message; then the call is given up, and nothing was sent. */
  readonly silenceMs?: number;
  /** How long it may be silent from then on: what it says later nobody hears, and the outcome is unknown. */
  readonly verdictMs?: number;
  /** The key that signs each mail; without it none is signed here. */
  readonly dkim?: DkimKey | undefined;
  readonly onTrouble?: OnTrouble;
};

const defaultConnections = 20;
const defaultSilenceMs = 60_000;
/** Of RFC 5321, section 4.5.3.2.6: a relay may look at a message for long before it answers. Less than a call may take. */
const defaultVerdictMs = 10 * 60_000;
const connectMs = 15_000;

/** Email through the operator's relay. The whole text of the message is in the mail. */
export function createSmtpEmail(options: SmtpEmailOptions): Channel {
  const { silenceMs = defaultSilenceMs, verdictMs = defaultVerdictMs } = options;
  const { connectionCount, ...relay } = relayOf(options.url, silenceMs);
  const connections = createConnections({ ...relay, silenceMs, verdictMs });
  const sign = options.dkim === undefined ? undefined : createDkim(options.dkim);
  function ended(fault: SmtpFault): Outcome {
    const outcome = outcomeOf(fault);
    if (outcome.outcome === 'temporary' && isOperators.has(outcome.reason)) options.onTrouble?.(troubleOf(fault));
    return outcome;
  }

  return {
    name: 'email',
    concurrency: connectionCount,
    addressOf: (contact) => contact.email,
    prepare: async (message: Message): Promise<Ready | Outcome> => {
      const mail = mailOf(message, options.sender);
      if (mail === undefined) return { outcome: 'permanent', reason: 'address-invalid' };
      const composed = composeMail(mail);
      const raw = sign === undefined ? composed : await sign(composed);
      const line = await connections.take();
      if ('fault' in line) return ended(line.fault);
      return {
        call: async () => {
          const fault = await connections.send(
            line,
            { from: options.sender.returnPath?.(message) ?? mail.from.address, to: mail.to },
            raw,
          );
          return fault === undefined ? { outcome: 'sent' } : ended(fault);
        },
        drop: () => connections.giveBack(line),
      };
    },
    close: async () => connections.close(),
  };
}

/** What waits for the operator alone. */
const isOperators: ReadonlySet<string> = new Set(['provider-unreachable', 'provider-refuses-us']);

/** Of a reply the codes alone: its words may repeat an address or a password. */
function troubleOf({ command, message, responseCode, response }: SmtpFault): string {
  if (responseCode === undefined && !/^(?:AUTH|MAIL|RCPT|DATA)/.test(command)) return message;
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})(?!\S)/.exec(response)?.[1] ?? '';
  return `${command} was answered ${responseCode ?? 'with no reply'} ${status}`.trimEnd();
}

/**
 * The relay at a URL. `?connections=8` limits how many are open (20). Mail to another machine must be encrypted, unless
 * the URL says `?tls=optional`; other parameters are refused, so that a misspelt one does not pass in silence.
 */
export function relayOf(text: string, silenceMs: number): RelayAt & { readonly connectionCount: number } {
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  for (const name of url.searchParams.keys()) {
    if (name !== 'connections' && name !== 'tls') throw new TypeError(`no parameter is called ${name}`);
  }
  const tls = url.searchParams.get('tls') ?? 'required';
  if (tls !== 'required' && tls !== 'optional') throw new TypeError('expected tls=required or tls=optional');
  const connectionCount = Number(url.searchParams.get('connections') ?? defaultConnections);
  if (!Number.isInteger(connectionCount) || connectionCount < 1 || connectionCount > 200) {
    throw new TypeError('expected a number of connections from 1 to 200');
  }
  const host = hostOf(url);
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
      connectionTimeout: connectMs,
      greetingTimeout: Math.min(connectMs, silenceMs),
      socketTimeout: silenceMs,
      maxResponseSize: 16_384,
    },
  };
}

/**
 * What a failed call means (RFC 5321, section 4.2.1). A reply says for sure that the mail was not taken. Without one it
 * depends on whether the message had begun: before, it is certain that nothing was taken; after, nothing is.
 */
function outcomeOf(fault: SmtpFault): Outcome {
  const { responseCode, command } = fault;
  if (responseCode === undefined || responseCode < 400 || responseCode > 599) return withoutReply(fault);
  const permanent = responseCode >= 500 && responseCode !== 503;
  const matter = matterOfReply(fault.response);
  if (command === 'RCPT TO' || command === 'DATA') {
    // RFC 5321, section 4.5.3.1.10: 552 at the recipient is to be treated as 452.
    const full = matter === 'full' || (matter === undefined && responseCode === 552 && command === 'RCPT TO');
    if (full) return { outcome: 'temporary', reason: 'mailbox-full' };
    if (permanent) return refused(matter, command);
  }
  // The size was told with the sender (RFC 1870).
  if (permanent && matter === 'message') return { outcome: 'permanent', reason: 'message-refused' };
  // What the relay holds against us and not against this mail is for the operator to mend, and then it goes on.
  return { outcome: 'temporary', reason: permanent || matter === 'sender' ? 'provider-refuses-us' : 'provider-busy' };
}

/** What a final refusal of the recipient or of the message speaks of; without a status, of what was refused. */
function refused(matter: Exclude<StatusMatter, 'full'> | undefined, command: 'RCPT TO' | 'DATA'): Outcome {
  const atRecipient = command === 'RCPT TO';
  switch (matter) {
    case 'address':
      return { outcome: 'permanent', reason: 'address-refused' };
    case 'network':
      return { outcome: 'permanent', reason: 'destination-unreachable' };
    case 'sender':
    case 'system':
      return { outcome: 'temporary', reason: 'provider-refuses-us' };
    case 'policy':
      // Before the message came it is a matter of who sends, as relaying refused.
      return atRecipient
        ? { outcome: 'temporary', reason: 'provider-refuses-us' }
        : { outcome: 'permanent', reason: 'message-refused' };
    case 'message':
      return { outcome: 'permanent', reason: 'message-refused' };
    case undefined:
      return { outcome: 'permanent', reason: atRecipient ? 'address-refused' : 'message-refused' };
  }
}

/** No reply came, or one that is no refusal; by its address the citizen has no part in it, since that was looked at. */
function withoutReply({ begun, code }: SmtpFault): Outcome {
  if (begun) return { outcome: 'unknown' };
  if (code === 'EMESSAGE') return { outcome: 'permanent', reason: 'message-refused' };
  const ours = code === 'EAUTH' || code === 'ETLS' || code === 'EENVELOPE';
  return { outcome: 'temporary', reason: ours ? 'provider-refuses-us' : 'provider-unreachable' };
}
