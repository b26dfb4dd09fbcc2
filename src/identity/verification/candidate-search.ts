import type { NormalisedClaims } from '../match/comparable.ts';
import { isPreciseDate, type MatchPolicy } from '../match/policy.ts';
import { dividedNameKeys } from '../names/divided-names.ts';
import { nameSearchKeys, streetKey } from '../names/name-key.ts';
import { exchangedDate } from '../register/birth-date.ts';
import type { SearchDetails, SearchKeys } from '../register/register.ts';

/** The keys that find the candidates of a search without an id. */
export function candidateSearch(claims: NormalisedClaims, policy: MatchPolicy): SearchKeys {
  const [family, given] = [claims.values.familyName?.forms ?? [], claims.values.givenName?.forms ?? []];
  const birthDate = claims.values.birthDate?.forms[0] ?? '';
  const exchanged = exchangedDate(birthDate);
  return {
    familyKeys: [
      ...new Set([
        ...nameSearchKeys(family),
        ...nameSearchKeys(given),
        // Without a tolerant policy, names that are divided differently match only with a document number.
        ...(policy.tolerant ? dividedNameKeys(family, given) : []),
      ]),
    ],
    birthDate,
    otherDates: [...(exchanged === undefined ? [] : [exchanged]), birthDate.slice(0, 7), birthDate.slice(0, 4)],
    details: searchDetailsOf(claims),
    ...(policy.tolerant ? { anyName: true } : {}),
    // Such a date counts only for a record that has no more precise one.
    ...(isPreciseDate(birthDate, policy) ? {} : { onlyAsPrecise: true }),
  };
}

/** The claimed values that narrow a search. */
export function searchDetailsOf({ values }: NormalisedClaims): SearchDetails {
  return {
    street: streetKey(values.streetAddress?.exact),
    postalCode: values.postalCode?.exact,
    documentNumber: values.documentNumber?.exact,
  };
}
