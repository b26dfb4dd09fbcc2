import type { Usage } from './usage.ts';

/** The code of the organisation that runs this server, in filters and for its own messages. No client has it. */
export const operatorCode = 'citizen-services';

/** The uses that a citizen wants to see. Instants in epoch milliseconds, both inclusive. */
export type UsageFilter = {
  /** Uses by others, or what the citizen did. */
  readonly by?: 'others' | 'citizen' | undefined;
  /** The code of an organisation; `operatorCode` for the acts of staff and of the server. */
  readonly organisation?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};

/**
 * Whether a use passes the filter. A concealed use and an erased one pass each filter of dates, and none of organisations: otherwise
 * a filter would reveal who concealed a use (test/scenarios/ledger-own-access-log.test.ts).
 */
export function matchesFilter(usage: Usage, { by, organisation, from, to }: UsageFilter): boolean {
  const at = Date.parse(usage.logTime);
  if ((from !== undefined && at < from) || (to !== undefined && at > to)) return false;
  const isOwn = usage.initiator === 'citizen';
  if (by !== undefined && isOwn !== (by === 'citizen')) return false;
  if (organisation === undefined) return true;
  return usage.state === 'shown' && organisationCodeOf(usage) === organisation;
}

function organisationCodeOf({ initiatorOrg, initiator }: Usage): string | undefined {
  if (initiatorOrg !== undefined) return initiatorOrg.code;
  return initiator === 'citizen' ? undefined : operatorCode;
}
