import type { RootKey } from '../../crypto/root-key.ts';
import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Statement } from '../../db/database.ts';
import { integerField, textField } from '../../db/row-fields.ts';
import { hmacString } from '../../kernel/hashing.ts';
import type { AttestedNumber } from './attested-claims.ts';

/** A link between a citizen and the administrative number in their wallet, as the citizen sees it. `keptAt`: epoch ms. */
export type WalletLink = { readonly issuingCountry: string; readonly keptAt: number };

/**
 * The stored form of an administrative number. Attack: somebody copies the database and tries all numbers of a country. Without the root
 * key, which is not in the database, no number can be compared.
 */
export function walletLinkKey(
  rootKey: Pick<RootKey, 'derive'>,
  { issuingCountry, administrativeNumber }: AttestedNumber,
): string {
  return hmacString(rootKey.derive('wallet-links'), `${issuingCountry}\0${administrativeNumber}`, 'base64url');
}

const findLinkRow = lookupByKey('wallet_link', 'link', 'link, citizen_id');

/** The citizen to whom this number is linked. */
export async function findLinkedCitizen(read: Read, link: string): Promise<string | undefined> {
  const [row] = await findLinkRow(read, link);
  return row === undefined ? undefined : textField(row, 'citizen_id');
}

/** The links of a citizen, sorted by country. */
export async function walletLinksOf(read: Read, citizenId: string): Promise<WalletLink[]> {
  const rows = await read(
    'select issuing_country, kept_at from wallet_link where citizen_id = $1 order by issuing_country',
    [citizenId],
  );
  return rows.map((row) => ({
    issuingCountry: textField(row, 'issuing_country'),
    keptAt: integerField(row, 'kept_at'),
  }));
}

/** Links a number to a citizen. It replaces the citizen of this number, and the number of this country that the citizen had before. */
export function keepWalletLink(
  link: string,
  { citizenId, issuingCountry, keptAt }: WalletLink & { readonly citizenId: string },
): Statement[] {
  return [
    {
      sql: 'delete from wallet_link where citizen_id = $1 and issuing_country = $2 and link <> $3',
      args: [citizenId, issuingCountry, link],
    },
    {
      sql: `insert into wallet_link (link, citizen_id, issuing_country, kept_at) values ($1, $2, $3, $4)
        on conflict (link) do update set citizen_id = excluded.citizen_id, kept_at = excluded.kept_at`,
      args: [link, citizenId, issuingCountry, keptAt],
    },
  ];
}

/** Deletes all links of a citizen. */
export function deleteWalletLinks(citizenId: string): Statement {
  return { sql: 'delete from wallet_link where citizen_id = $1', args: [citizenId], erase: true };
}
