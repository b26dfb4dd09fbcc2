import { formatInstant } from '../kernel/clock.ts';
import type { ClaimFinding, UnmatchedReason } from '../kernel/verification-explanation.ts';
import type { StoredEntry } from '../ledger/log-view.ts';

/** One use of a citizen's data as it is told to the citizen, in the words of Andmejälgija v3 (UsageCommon) and a few of ours. */
export type Usage = {
  /** The place in the citizen's own chain, from 1 without gaps. */
  readonly number: number;
  readonly logTime: string;
  readonly state: 'shown' | 'hidden' | 'erased';
  readonly processingType?: ProcessingType;
  /** The kind of use, as document.retrieved. */
  readonly usage?: string;
  readonly purpose?: string;
  readonly legalBasis?: string;
  readonly consentReference?: string;
  readonly initiatorOrg?: { readonly type: 'GOV'; readonly code: string; readonly name: string };
  /** Who acted where no organisation did: the citizen, staff at the command line, the server itself. */
  readonly initiator?: 'citizen' | 'operator' | 'system';
  readonly logSourceSystem?: string;
  readonly queryId?: string;
  readonly bulkProcessing?: boolean;
  readonly hiddenUntil?: string;
  readonly hiddenReason?: string;
  /** What else the entry says, as it stands in the log: ids of documents and notifications, the decision, and the like. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly explanation?: UsageExplanation;
};

/**
 * Why a check of details was answered as it was: the reason where it was no match, and how each detail compares with the
 * register. The citizen alone is told, not who asked; it is not in the log, whose entries can be opened for who asked.
 */
export type UsageExplanation = {
  /** Null for a match. */
  readonly reason: UnmatchedReason | null;
  readonly claims: { readonly [claim in string]?: ClaimFinding };
};

export type ProcessingType = 'DATA_REQUEST' | 'DATA_RESPONSE' | 'DATA_PROCESSING' | 'INTERNAL_PROCESSING';

type Content = Readonly<Record<string, unknown>>;

/** What giving data away is, and what this house does for itself; everything else is processing for somebody. */
const responseTypes = new Set([
  ...['identity.verified', 'identity.verification-read', 'identity.record-read'],
  ...['document.retrieved', 'document.listed'],
]);
const internalTypes = new Set(['notification.delivery-ended', 'notification.undeliverable', 'access-log.read']);
const topLevelMembers = new Set([
  'type',
  'id',
  'at',
  'actor',
  'citizenId',
  'purpose',
  'legalBasis',
  'consentReference',
]);

/**
 * Tells one entry. The organisation is always named, the employee never (Court of Justice, C-579/21). A use whose
 * disclosure was delayed keeps its number and shows nothing else until its instant has come.
 */
export function toUsage(
  entry: StoredEntry,
  content: Content | undefined,
  { now, nameOf }: { readonly now: number; readonly nameOf: (clientId: string) => string },
): Usage {
  const head = { number: entry.number, logTime: formatInstant(entry.at) };
  if (content === undefined) return { ...head, state: 'erased' };
  if (isHidden(content, now)) return { ...head, state: 'hidden' };
  const type = String(content['type']);
  const rest = Object.entries(content).filter(([name]) => !topLevelMembers.has(name) && !name.startsWith('hidden'));
  return {
    ...head,
    state: 'shown',
    processingType: responseTypes.has(type)
      ? 'DATA_RESPONSE'
      : internalTypes.has(type)
        ? 'INTERNAL_PROCESSING'
        : 'DATA_PROCESSING',
    usage: type,
    ...textMembers(content, ['purpose', 'legalBasis', 'consentReference', 'hiddenUntil', 'hiddenReason']),
    ...initiatorOf(content['actor'], nameOf),
    logSourceSystem: 'citizen-services',
    queryId: entry.eventId,
    bulkProcessing: false,
    details: Object.fromEntries(rest),
  };
}

/** Whether the citizen may not know yet what this use was. */
export function isHidden(content: Content, now: number): boolean {
  const until = content['hiddenUntil'];
  return typeof until === 'string' && Date.parse(until) > now;
}

/** Whether what the entry says names the employee who acted: such an entry is handed out sealed, with its proof. */
export function namesEmployee({ actor }: Content): boolean {
  return typeof actor === 'object' && actor !== null && 'operator' in actor;
}

function textMembers(content: Content, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = content[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

function initiatorOf(actor: unknown, nameOf: (clientId: string) => string): Pick<Usage, 'initiator' | 'initiatorOrg'> {
  if (typeof actor !== 'object' || actor === null) return { initiator: 'system' };
  if ('client' in actor) {
    const code = String(actor.client);
    return { initiatorOrg: { type: 'GOV', code, name: nameOf(code) } };
  }
  if ('citizen' in actor) return { initiator: 'citizen' };
  return { initiator: 'operator' in actor ? 'operator' : 'system' };
}
