import type { Statement } from '../db/database.ts';
import type { CitizenErasure } from '../ledger/erase-citizen.ts';
import { deleteWalletLinks } from './verification/wallet-link-store.ts';

/**
 * Deletes the links to wallets and the register row of an erased citizen, unless the erasure keeps that row, and empties the results of
 * verifications. Their rows stay, so that the usage of clients counts them.
 */
export function eraseRecordStatements({ citizenId, erasedId, keepsRegisterRow }: CitizenErasure): Statement[] {
  const verifications = {
    sql: 'update verification set citizen_id = $2, sealed_result = $3 where citizen_id in ($1, $2)',
    args: [citizenId, erasedId, new Uint8Array()],
  };
  const links = deleteWalletLinks(citizenId);
  if (keepsRegisterRow) return [verifications, links];
  return [
    verifications,
    links,
    { sql: 'delete from former_name where citizen_id = $1', args: [citizenId] },
    { sql: 'delete from citizen where citizen_id = $1', args: [citizenId] },
  ];
}
