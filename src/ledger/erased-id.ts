import { erasedIdPattern } from '../kernel/id.ts';

const prefix = 'erased:';

/**
 * The id that replaces the id of an erased citizen in the rows that stay, such as those of sent notifications. It contains the
 * pseudonym of the citizen in the ledger (citizen-keys.ts), so that events about these rows stay in the chain of the citizen.
 */
export function erasedIdOf(pseudonym: Uint8Array): string {
  return `${prefix}${Buffer.from(pseudonym).toString('hex')}`;
}

/** The pseudonym in the id of an erased citizen; undefined for any other id. */
export function pseudonymInErasedId(citizenId: string): Uint8Array | undefined {
  const hex = erasedIdPattern.exec(citizenId)?.[1];
  return hex === undefined ? undefined : Buffer.from(hex, 'hex');
}
