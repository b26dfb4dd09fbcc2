import { type Forms, formsOf, toStoredText } from '../names/normalise.ts';
import { dateForm } from '../register/birth-date.ts';
import { type ClaimName, type Claims, claimKindOf, claimNames, splitNationalities } from '../register/claims.ts';

/** A value made ready for comparing: as it is kept, and the forms under which it is the same as others. */
export type Comparable = { readonly exact: string; readonly forms: Forms };

/** The claims of one question, made ready once, however many records they are compared with. */
export type NormalisedClaims = { readonly asked: readonly ClaimName[] } & {
  readonly values: { readonly [claim in ClaimName]?: Comparable };
};

export function normaliseClaims(claims: Claims): NormalisedClaims {
  const asked = claimNames.filter((claim) => claims[claim] !== undefined);
  const values: { [claim in ClaimName]?: Comparable } = {};
  for (const claim of asked) values[claim] = toComparable(claim, claims[claim] ?? '');
  return { asked, values };
}

/** The comparable form of a value of that claim, submitted or registered. */
export function toComparable(claim: ClaimName, value: string): Comparable {
  switch (claimKindOf(claim)) {
    case 'id':
      return { exact: value, forms: [value] };
    case 'date':
      return { exact: value, forms: [dateForm(value)] };
    case 'code':
      return { exact: toStoredText(value), forms: formsOf(value).map((form) => form.replaceAll(' ', '')) };
    case 'nations':
      return { exact: toStoredText(value), forms: nationalityForms(value) };
    case 'name':
    case 'place':
    case 'address':
      return { exact: toStoredText(value), forms: formsOf(value) };
  }
}

/** Between the forms of one nationality. */
export const formSeparator = '|';

/** The nationalities of a list, each with all its forms in one, sorted: whoever has several is not asked in which order. */
function nationalityForms(value: string): Forms {
  const named = splitNationalities(value).map((nation) => formsOf(nation).map((form) => form.replaceAll(' ', '')));
  return [...new Set(named.map((forms) => forms.join(formSeparator)))].filter((nation) => nation !== '').sort();
}
