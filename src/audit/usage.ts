import { formatInstant } from '../kernel/clock.ts';
import type { ClaimFinding, UnmatchedReason } from '../kernel/verification-explanation.ts';
import type { StoredEntry } from '../ledger/stored-entry.ts';

/** One use of a citizen's data, with the members of Andmejälgija v3 (UsageCommon) and a few more. */
export type Usage = {
  /** The position in the citizen's own chain, from 1 without gaps. */
  readonly number: number;
  readonly logTime: string;
  readonly state: 'shown' | 'hidden' | 'erased';
  readonly processingType?: ProcessingType;
  readonly usage?: string;
  readonly purpose?: string;
  readonly legalBasis?: string;
  readonly consentReference?: string;
  readonly initiatorOrg?: { readonly type: 'GOV'; readonly code: string; readonly name: string };
  /** The actor if no organisation acted: the citizen, staff at the command line, or the server. */
  readonly initiator?: 'citizen' | 'operator' | 'system';
  readonly logSourceSystem?: string;
  readonly queryId?: string;
  readonly bulkProcessing?: boolean;
  readonly hiddenUntil?: string;
  readonly hiddenReason?: string;
  /** The other members of the entry, such as ids of documents and the decision. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly explanation?: UsageExplanation;
};

/**
 * Why a verification had its result, and how each claim compares with the register. Only the citizen sees it. It is not in the
 * log, because the client can open that entry.
 */
export type UsageExplanation = {
  readonly reason: UnmatchedReason | null;
  readonly claims: { readonly [claim in string]?: ClaimFinding };
};

type ProcessingType = 'DATA_REQUEST' | 'DATA_RESPONSE' | 'DATA_PROCESSING' | 'INTERNAL_PROCESSING';

type Content = Readonly<Record<string, unknown>>;

/** Uses that disclose data, and internal processing. All others are processing for a client. */
const responseTypes = new Set([
  'identity.verified',
  'identity.verification-read',
  'identity.record-read',
  'document.retrieved',
  'document.listed',
]);
const internalTypes = new Set([
  'notification.delivery-ended',
  'notification.sent',
  'notification.unknown',
  'notification.undeliverable',
  'access-log.read',
]);
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
 * One entry for the citizen. It names the organisation, never the employee (Court of Justice of the EU, C-579/21). A concealed
 * use has only its number and time until its concealment ends.
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

/** Whether a use is still concealed from the citizen. */
export function isHidden(content: Content, now: number): boolean {
  const until = content['hiddenUntil'];
  return typeof until === 'string' && Date.parse(until) > now;
}

/** Whether the content names the employee who acted: such an entry is handed out encrypted, with its proof. */
export function namesEmployee({ actor }: Content): boolean {
  return typeof actor === 'object' && actor !== null && ('operator' in actor || 'staff' in actor);
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
  const client = 'client' in actor ? actor.client : 'service' in actor ? actor.service : null;
  if (client !== null) {
    const code = String(client);
    return { initiatorOrg: { type: 'GOV', code, name: nameOf(code) } };
  }
  if ('citizen' in actor) return { initiator: 'citizen' };
  return { initiator: 'operator' in actor || 'staff' in actor ? 'operator' : 'system' };
}
