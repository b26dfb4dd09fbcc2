import { timingSafeEqual } from 'node:crypto';
import { hmacText } from '../../kernel/hashing.ts';
import { type DeliveryId, parseId } from '../../kernel/id.ts';
import type { ReasonCode } from '../reason.ts';
import type { LateWord, SpokenOf } from './learn-late.ts';
import { matterOf } from './mail-status.ts';
import { fieldOf, partsOf, readMail, textOf, unfold } from './mime-part.ts';

const macLength = 12;
/** RFC 5321, section 4.5.3.1.1, in octets. */
const longestLocalPart = 64;
/** What stands behind the base: `+dlv_…`, and an attempt of up to three digits. */
const markedLength = '+dlv_'.length + 26 + '.999-'.length + macLength;

/** The addresses that mail comes back to, each for one attempt (VERP), and who they are for. */
export type BounceAddresses = {
  /** The envelope sender of an attempt. Its mark keeps others from making up bounces. */
  of(attempt: { readonly delivery: DeliveryId; readonly attempt: number }): string;
  /** The attempt that an address was made for; undefined for any other text. Upper and lower case are alike. */
  find(address: string): SpokenOf | undefined;
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
      const isOurs = timingSafeEqual(wanted, Buffer.from(mark.toLowerCase()));
      return isOurs ? { delivery, attempt: Number(attempt) } : undefined;
    },
  };
}

/**
 * Reads a delivery status notification (RFC 3464). Only the report of a final failure counts: a delay, an answer of an
 * absent person, a mail that only quotes a report, say nothing. The address that it came to tells which attempt; its mark
 * is as good in any field of the header, since mail systems tell it in many.
 */
export function readBounce(raw: string, addresses: BounceAddresses): LateWord | undefined {
  const mail = readMail(raw);
  const type = fieldOf(mail.head, 'content-type');
  if (!/^multipart\/report\b/i.test(type) || !/report-type\s*=\s*"?delivery-status\b/i.test(type)) return undefined;
  const attempt = mail.head.split('\n').map(addresses.find).find(Boolean);
  const report = partsOf(mail).find(({ head }) =>
    /^message\/(?:global-)?delivery-status\b/i.test(fieldOf(head, 'content-type')),
  );
  if (attempt === undefined || report === undefined) return undefined;
  const status = failureIn(textOf(report));
  return status === undefined ? undefined : { ...attempt, ended: 'failed', reason: reasonOf(status) };
}

type Status = { readonly level?: string; readonly subject?: string; readonly detail?: string };

/**
 * The status of a final failure; undefined where there is none. The address may be a list: then there is a group of fields
 * for each member, and one that was reached has the mail.
 */
function failureIn(report: string): Status | undefined {
  const groups = report.split(/\n[ \t]*\n/).map(unfold);
  const actionOf = (group: string) => /^[a-z]*/.exec(fieldOf(group, 'action').toLowerCase())?.[0] ?? '';
  if (groups.some((group) => ['delivered', 'relayed', 'expanded'].includes(actionOf(group)))) return undefined;
  const failed = groups.find((group) => actionOf(group) === 'failed');
  const status = failed === undefined ? undefined : statusOf(failed);
  return status?.level === '2' ? undefined : status;
}

/** A status without a subject is often all that a relay says in its own words; the reply that it got may say more. */
function statusOf(group: string): Status {
  const read = (text: string): Status | undefined => {
    const [, level, subject, detail] = /(?:^|[\s-])([245])\.(\d{1,3})\.(\d{1,3})(?!\S)/.exec(text) ?? [];
    return level === undefined || subject === undefined || detail === undefined
      ? undefined
      : { level, subject, detail };
  };
  const own = read(fieldOf(group, 'status')) ?? {};
  if (own.subject !== undefined && own.subject !== '0') return own;
  const [, reply = ''] = /^smtp\s*;\s*((?:\d{3}[ -])?\d\.\S+)/i.exec(fieldOf(group, 'diagnostic-code')) ?? [];
  return read(reply) ?? own;
}

/** A failure that only lasted until the mail system gave up (class 4) does not say that there is no such address. */
function reasonOf({ level, subject, detail }: Status): ReasonCode {
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
