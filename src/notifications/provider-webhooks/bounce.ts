import { timingSafeEqual } from 'node:crypto';
import { hmacString } from '../../kernel/hashing.ts';
import { type DeliveryId, parseId } from '../../kernel/id.ts';
import type { LateReport, ReportedDelivery } from '../delivery/apply-late-report.ts';
import type { ReasonCode } from '../notification/reason.ts';
import { statusCategoryOf } from './enhanced-status.ts';
import { decodedTextOf, headerFieldOf, multipartPartsOf, parseMail, unfoldHeader } from './mime-part.ts';

const macLength = 12;
/** RFC 5321, section 4.5.3.1.1, in octets. */
const maxLocalPartLength = 64;
/** What stands behind the base: `+dlv_…`, and an attempt of up to three digits. */
const suffixLength = '+dlv_'.length + 26 + '.999-'.length + macLength;

/** The addresses that mail comes back to, each for one attempt (VERP), and who they are for. */
export type BounceAddresses = {
  /** The envelope sender of an attempt. Its mark keeps others from making up bounces. */
  addressFor(attempt: { readonly delivery: DeliveryId; readonly attempt: number }): string;
  /** The attempt that an address was made for; undefined for any other text. Upper and lower case are alike. */
  findAttempt(address: string): ReportedDelivery | undefined;
};

/** What is wrong about an address as the base of others; undefined where nothing is. */
export function bounceAddressFault(base: string): string | undefined {
  const maxLength = maxLocalPartLength - suffixLength;
  return base.indexOf('@') <= maxLength
    ? undefined
    : `expected at most ${maxLength} characters before the @, since a mark of each attempt is added; bounces@… is short`;
}

/** Addresses under one of the operator: `bounces@example.org` gives `bounces+DELIVERY.ATTEMPT-MARK@example.org`. */
export function createBounceAddresses(base: string, key: Uint8Array): BounceAddresses {
  const [local = '', domain = ''] = base.split('@');
  const macOf = (attempt: string) => hmacString(key, attempt.toUpperCase(), 'hex').slice(0, macLength);
  return {
    addressFor: ({ delivery, attempt }) =>
      `${local}+${delivery}.${attempt}-${macOf(`${delivery}.${attempt}`)}@${domain}`,
    findAttempt: (address) => {
      const [, id = '', attempt = '', mac = ''] = /\+dlv_(\w{26})\.(\d{1,6})-([0-9a-f]{12})@/i.exec(address) ?? [];
      const delivery = parseId('delivery', `dlv_${id.toUpperCase()}`);
      if (delivery === undefined) return undefined;
      const expected = Buffer.from(macOf(`${delivery}.${attempt}`));
      const isOurs = timingSafeEqual(expected, Buffer.from(mac.toLowerCase()));
      return isOurs ? { delivery, attempt: Number(attempt) } : undefined;
    },
  };
}

/**
 * Reads a delivery status notification (RFC 3464). Only the report of a final failure counts: a delay, an answer of an
 * absent person, a mail that only quotes a report, say nothing. The address that it came to tells which attempt; its mark
 * is as good in any field of the header, since mail systems tell it in many.
 */
export function parseBounce(raw: string, addresses: BounceAddresses): LateReport | undefined {
  const mail = parseMail(raw);
  const type = headerFieldOf(mail.head, 'content-type');
  if (!/^multipart\/report\b/i.test(type) || !/report-type\s*=\s*"?delivery-status\b/i.test(type)) return undefined;
  const attempt = mail.head.split('\n').map(addresses.findAttempt).find(Boolean);
  const report = multipartPartsOf(mail).find(({ head }) =>
    /^message\/(?:global-)?delivery-status\b/i.test(headerFieldOf(head, 'content-type')),
  );
  if (attempt === undefined || report === undefined) return undefined;
  const status = failureStatusIn(decodedTextOf(report));
  return status === undefined ? undefined : { ...attempt, ended: 'failed', reason: bounceReasonOf(status) };
}

type EnhancedStatus = { readonly level?: string; readonly subject?: string; readonly detail?: string };

/**
 * The status of a final failure; undefined where there is none. The address may be a list: then there is a group of fields
 * for each member, and one that was reached has the mail.
 */
function failureStatusIn(report: string): EnhancedStatus | undefined {
  const groups = report.split(/\n[ \t]*\n/).map(unfoldHeader);
  const actionOf = (group: string) => /^[a-z]*/.exec(headerFieldOf(group, 'action').toLowerCase())?.[0] ?? '';
  if (groups.some((group) => ['delivered', 'relayed', 'expanded'].includes(actionOf(group)))) return undefined;
  const failed = groups.find((group) => actionOf(group) === 'failed');
  const status = failed === undefined ? undefined : statusOf(failed);
  return status?.level === '2' ? undefined : status;
}

/** A status without a subject is often all that a relay says in its own words; the reply that it got may say more. */
function statusOf(group: string): EnhancedStatus {
  const read = (text: string): EnhancedStatus | undefined => {
    const [, level, subject, detail] = /(?:^|[\s-])([245])\.(\d{1,3})\.(\d{1,3})(?!\S)/.exec(text) ?? [];
    return level === undefined || subject === undefined || detail === undefined
      ? undefined
      : { level, subject, detail };
  };
  const own = read(headerFieldOf(group, 'status')) ?? {};
  if (own.subject !== undefined && own.subject !== '0') return own;
  const [, reply = ''] = /^smtp\s*;\s*((?:\d{3}[ -])?\d\.\S+)/i.exec(headerFieldOf(group, 'diagnostic-code')) ?? [];
  return read(reply) ?? own;
}

/** A failure that only lasted until the mail system gave up (class 4) does not say that there is no such address. */
function bounceReasonOf({ level, subject, detail }: EnhancedStatus): ReasonCode {
  const matter = statusCategoryOf(subject, detail);
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
