import { timingSafeEqual } from 'node:crypto';
import { hmacText } from '../kernel/hashing.ts';
import { type DeliveryId, parseId } from '../kernel/id.ts';
import type { LateWord } from './learn-late.ts';
import { matterOf } from './mail-status.ts';
import type { ReasonCode } from './reason.ts';

const macLength = 12;
/** RFC 5321, section 4.5.3.1.1, in octets. */
const longestLocalPart = 64;
/** What stands behind the base: `+dlv_…`, and an attempt of up to three digits. */
const markedLength = '+dlv_'.length + 26 + '.999-'.length + macLength;

/** The addresses that mail comes back to, each for one attempt (VERP), and who they are for. */
export type BounceAddresses = {
  /** The envelope sender of an attempt. Its mark keeps others from making up bounces. */
  of(attempt: { readonly delivery: DeliveryId; readonly attempt: number }): string;
  /** The delivery that an address was made for; undefined for any other text. Upper and lower case are alike. */
  find(address: string): DeliveryId | undefined;
};

/** What is wrong about an address as the base of others; undefined where nothing is. */
export function bounceBaseFault(base: string): string | undefined {
  const longest = longestLocalPart - markedLength;
  return base.indexOf('@') <= longest
    ? undefined
    : `expected at most ${longest} characters before the @, since a mark of each attempt is added; bounces@… is short`;
}

/** Addresses under one of the operator: `bounces@example.org` gives `bounces+DELIVERY.ATTEMPT-MARK@example.org`. */
export function createBounceAddresses(base: string, key: Uint8Array): BounceAddresses {
  const [local = '', domain = ''] = base.split('@');
  const markOf = (attempt: string) => hmacText(key, attempt.toUpperCase(), 'hex').slice(0, macLength);
  return {
    of: ({ delivery, attempt }) => `${local}+${delivery}.${attempt}-${markOf(`${delivery}.${attempt}`)}@${domain}`,
    find: (address) => {
      const [, id = '', attempt = '', mark = ''] = /\+dlv_(\w{26})\.(\d{1,6})-([0-9a-f]{12})@/i.exec(address) ?? [];
      const delivery = parseId('delivery', `dlv_${id.toUpperCase()}`);
      if (delivery === undefined) return undefined;
      const wanted = Buffer.from(markOf(`${delivery}.${attempt}`));
      return timingSafeEqual(wanted, Buffer.from(mark.toLowerCase())) ? delivery : undefined;
    },
  };
}

/**
 * Reads a delivery status notification (RFC 3464). Only the report of a final failure counts: a delay, an answer of an
 * absent person, a mail that only quotes a report, say nothing. The address that it came to tells which delivery.
 */
export function readBounce(raw: string, addresses: BounceAddresses): LateWord | undefined {
  const lines = raw.replaceAll('\r\n', '\n');
  const head = unfold(lines.slice(0, lines.indexOf('\n\n') + 1));
  const type = headerOf(head, 'content-type');
  if (!/^multipart\/report\b/i.test(type) || !/report-type="?delivery-status\b/i.test(type)) return undefined;
  const delivery = ['delivered-to', 'x-original-to', 'to']
    .map((name) => addresses.find(headerOf(head, name)))
    .find(Boolean);
  const report = reportOf(lines);
  if (delivery === undefined || report === undefined) return undefined;
  const action = headerOf(report, 'action').toLowerCase();
  const status = /\b([245])\.(\d{1,3})\.(\d{1,3})\b/.exec(headerOf(report, 'status'));
  if (action !== 'failed' || status?.[1] === '2') return undefined;
  return { delivery, ended: 'failed', reason: reasonOf(status) };
}

/** A failure that only lasted until the mail system gave up (class 4) does not say that there is no such address. */
function reasonOf(status: RegExpExecArray | null): ReasonCode {
  const [, level, subject, detail] = status ?? [];
  const matter = matterOf(subject, detail);
  switch (matter) {
    case 'full':
      return 'mailbox-full';
    case 'message':
    case 'policy':
      return 'message-refused';
    case 'sender':
      return 'provider-refuses-us';
    case 'system':
    case 'network':
      return 'destination-unreachable';
    case 'address':
    case undefined:
      return level === '4' ? 'destination-unreachable' : 'address-refused';
  }
}

/** The groups of fields in the part `message/delivery-status`, until the next boundary. */
function reportOf(lines: string): string | undefined {
  const start = lines.search(/^content-type:\s*message\/(?:global-)?delivery-status/im);
  if (start < 0) return undefined;
  const body = lines.slice(start);
  const part = body.slice(body.indexOf('\n\n') + 2);
  const end = part.search(/^--/m);
  return unfold(end < 0 ? part : part.slice(0, end));
}

function unfold(text: string): string {
  return text.replaceAll(/\n[ \t]+/g, ' ');
}

function headerOf(text: string, name: string): string {
  const line = text.split('\n').find((candidate) => candidate.toLowerCase().startsWith(`${name}:`));
  return line === undefined ? '' : line.slice(name.length + 1).trim();
}
