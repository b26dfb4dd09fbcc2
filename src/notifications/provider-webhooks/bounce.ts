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
/** The length of `+dlv_….999-MAC`, which follows the base; an attempt has up to three digits. */
const suffixLength = '+dlv_'.length + 26 + '.999-'.length + macLength;

/** Bounce addresses, each for one attempt (VERP). */
export type BounceAddresses = {
  /** The envelope sender of an attempt. Its MAC prevents forged bounces: only the key holder can create the address. */
  addressFor(attempt: { readonly delivery: DeliveryId; readonly attempt: number }): string;
  /** The attempt of an address; undefined for any other text, or a wrong MAC. Letter case is ignored. */
  findAttempt(address: string): ReportedDelivery | undefined;
};

/** The fault of an address as the base of bounce addresses; undefined for a usable one. */
export function bounceAddressFault(base: string): string | undefined {
  const maxLength = maxLocalPartLength - suffixLength;
  return base.indexOf('@') <= maxLength
    ? undefined
    : `expected at most ${maxLength} characters before the @, because the server adds the id of each attempt; use an address such as bounces@…`;
}

/** Creates addresses under one of the operator: `bounces@example.org` becomes `bounces+DELIVERY.ATTEMPT-MAC@example.org`. */
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
 * Parses a delivery status notification (RFC 3464). Only the report of a final failure counts, not a delay, an
 * out-of-office reply, or a mail that quotes a report. The bounce address names the attempt. It is accepted in any header
 * field, because mail systems put it into different ones; its MAC proves that we created it.
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
 * The status of a final failure; undefined without one. The address may be a mailing list, with a group of fields for each
 * member. If one member was reached, the mail is not a failure.
 */
function failureStatusIn(report: string): EnhancedStatus | undefined {
  const groups = report.split(/\n[ \t]*\n/).map(unfoldHeader);
  const actionOf = (group: string) => /^[a-z]*/.exec(headerFieldOf(group, 'action').toLowerCase())?.[0] ?? '';
  if (groups.some((group) => ['delivered', 'relayed', 'expanded'].includes(actionOf(group)))) return undefined;
  const failed = groups.find((group) => actionOf(group) === 'failed');
  const status = failed === undefined ? undefined : statusOf(failed);
  return status?.level === '2' ? undefined : status;
}

/** A relay often reports a status without a subject. Then the quoted reply of the next server may have a better one. */
function statusOf(group: string): EnhancedStatus {
  const parse = (text: string): EnhancedStatus | undefined =>
    /(?:^|[\s-])(?<level>[245])\.(?<subject>\d{1,3})\.(?<detail>\d{1,3})(?!\S)/.exec(text)?.groups;
  const own = parse(headerFieldOf(group, 'status')) ?? {};
  if (own.subject !== undefined && own.subject !== '0') return own;
  const [, reply = ''] = /^smtp\s*;\s*((?:\d{3}[ -])?\d\.\S+)/i.exec(headerFieldOf(group, 'diagnostic-code')) ?? [];
  return parse(reply) ?? own;
}

/** A temporary failure (class 4) that lasted until the mail system gave up does not prove that the address is wrong. */
function bounceReasonOf({ level, subject, detail }: EnhancedStatus): ReasonCode {
  switch (statusCategoryOf(subject, detail)) {
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
