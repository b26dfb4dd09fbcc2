import { type Forms, formsOf, toStoredText } from '../names/normalise.ts';
import { dateForm } from '../register/birth-date.ts';
import { type ClaimName, type Claims, claimKindOf, claimNames, splitNationalities } from '../register/claims.ts';
import { postalCodeForms } from './postal-codes.ts';

/** A value prepared for comparison: its stored text and its forms. */
export type Comparable = { readonly exact: string; readonly forms: Forms };

/** The claims of one request, prepared once for comparison with any number of records. */
export type NormalisedClaims = { readonly submitted: readonly ClaimName[] } & {
  readonly values: { readonly [claim in ClaimName]?: Comparable };
};

/** Compared for a missing value, so that the comparison takes the same time. */
export const placeholderText = 'nothing';

/** Prepares the claims of a request for comparison. */
export function normaliseClaims(claims: Claims): NormalisedClaims {
  const submitted = claimNames.filter((claim) => claims[claim] !== undefined);
  const values: { [claim in ClaimName]?: Comparable } = {};
  for (const claim of submitted) values[claim] = toComparable(claim, claims[claim] ?? '');
  return { submitted, values };
}

/** Prepares a submitted or registered value of that claim for comparison. */
export function toComparable(claim: ClaimName, value: string): Comparable {
  switch (claimKindOf(claim)) {
    case 'id':
      return { exact: value, forms: [value] };
    case 'date':
      return { exact: value, forms: [dateForm(value)] };
    case 'code':
      if (claim === 'postalCode') return { exact: toStoredText(value), forms: postalCodeForms(value) };
      return { exact: toStoredText(value), forms: formsOf(value).map((form) => form.replaceAll(' ', '')) };
    case 'nations':
      return { exact: toStoredText(value), forms: nationalityForms(value) };
    case 'name':
    case 'place':
    case 'address':
      return { exact: toStoredText(value), forms: formsOf(value) };
  }
}

/** Separates the forms of one nationality. */
export const formSeparator = '|';

/** The nationalities of a list, each with all its forms in one text, sorted, so that their order does not matter. */
function nationalityForms(value: string): Forms {
  const nations = splitNationalities(value).map((nation) => formsOf(nation).map((form) => form.replaceAll(' ', '')));
  return [...new Set(nations.map((forms) => forms.join(formSeparator)))].filter((nation) => nation !== '').sort();
}
