import { UnavailableError } from '../../kernel/unavailable-error.ts';
import { type ClaimName, claimNames } from './claims.ts';

type ClaimedValues = { readonly citizenId: string } & {
  readonly [claim in Exclude<ClaimName, 'citizenId'>]: string | null;
};

/** The register record of one person; null for values that the register does not have. */
export type RegisterRecord = ClaimedValues & {
  /** The record is disputed: claims that fit are answered not_determined. */
  readonly underReview: boolean;
  /** Locked by staff: always answered no_match. */
  readonly locked?: boolean;
  /** Locked by the citizen: always answered no_match. Imports do not change it. */
  readonly lockedByCitizen?: boolean;
  /** The person has died: answered no_match, unless the policy permits a match. */
  readonly deceased?: boolean;
  readonly formerNames?: readonly FormerName[];
  readonly formerAddresses?: readonly FormerAddress[];
};

/** The values of a record without flags and former values, as `textOf` reads them. */
export function claimedValuesOf(textOf: (claim: ClaimName) => string | null): ClaimedValues {
  const values = Object.fromEntries(claimNames.map((claim) => [claim, textOf(claim)]));
  // Every claim is a member of `values`; only the id may not be null.
  return { ...values, citizenId: values['citizenId'] ?? '' } as ClaimedValues;
}

/** YYYY-MM-DD or a less precise date; undefined if unknown. */
type ValidityPeriod = { readonly from?: string; readonly until?: string };

/** A previous name. */
export type FormerName = ValidityPeriod & { readonly givenName?: string; readonly familyName?: string };

/** A previous address. */
export type FormerAddress = ValidityPeriod & {
  readonly streetAddress?: string;
  readonly postalCode?: string;
  readonly locality?: string;
  readonly country?: string;
};

/** The contact data of a citizen in the register. */
export type RegisterContact = {
  readonly citizenId: string;
  readonly name: string;
  readonly email: string | null;
  /** As imported, not necessarily E.164. */
  readonly phone: string | null;
  /** A BCP 47 tag such as `de` or `pt-BR`. */
  readonly language: string | null;
  /** The person has died: nothing is to be sent. */
  readonly deceased: boolean;
  readonly postalAddress: {
    readonly streetAddress: string | null;
    readonly postalCode: string | null;
    readonly locality: string | null;
    readonly country: string | null;
  };
};

/** The keys of a search for a person without an id. */
export type SearchKeys = {
  /** Keys of `names/name-key.ts`: those of the family name, and those of the given name in case the two were exchanged. */
  readonly familyKeys: readonly string[];
  /** In the form of `dateForm`. Records with a less precise date are found too, and with a partial date those with a more precise one. */
  readonly birthDate: string;
  /** All people born on that day are candidates, whatever their name: for policies that decide by probability. */
  readonly anyName?: boolean;
  /** People with one of the keys and one of these dates are candidates too, also with `anyName`. At most three. */
  readonly otherDates?: readonly string[];
  /** A partial `birthDate` finds no record with a more precise date. */
  readonly onlyAsPrecise?: boolean;
  /** Narrow the search if too many people share a name and the date. */
  readonly details?: SearchDetails;
};

/** The details besides names and date that the claims state; undefined if they do not. */
export type SearchDetails = {
  /** The key of the street with house number. */
  readonly street: number | undefined;
  readonly postalCode: string | undefined;
  readonly documentNumber: string | undefined;
};

/** The search keys for competing candidates with any birth date. An empty list finds no record. */
export type CompetingCandidateKeys = {
  /** Name keys: finds people with one as family name and one as given name. */
  readonly names: readonly string[];
  /** Family name keys: finds all people of these families, up to `maxFamilyMembers`. */
  readonly families: readonly string[];
  /** Keys of streets with house number, and postal codes as stored: finds people who live at a combination of the two. */
  readonly streets: readonly number[];
  readonly postalCodes: readonly string[];
};

/** `tooMany`, `tooManyNeighbours`: more people share both names, or the address, than can be compared. `records` is then incomplete. */
export type CompetingCandidates = {
  readonly records: readonly RegisterRecord[];
  readonly tooMany: boolean;
  readonly tooManyNeighbours: boolean;
};

/** In a larger family only members who share more than the family name are compared. */
export const maxFamilyMembers = 300;

/** More candidates than this make a search not_determined. */
export const maxCandidates = 100;

/** If more people than this share a name and the date, a document number or a part of an address finds only some of them. */
export const maxNarrowed = 2_000;

/** The register of citizens: the embedded tables, or an external register over HTTP. */
export type Register = {
  find(citizenId: string): Promise<RegisterRecord | undefined>;
  /** Candidates to compare. More than `maxCandidates` mean that there are too many. */
  search(keys: SearchKeys): Promise<readonly RegisterRecord[]>;
  /** See `ambiguity/ambiguity-search.ts`. */
  searchCompeting(keys: CompetingCandidateKeys): Promise<CompetingCandidates>;
  /** People with exactly this birth date and two of these keys, as family and as given name. See `ambiguity/exact-namesakes.ts`. */
  searchExactNamesakes(keys: SearchKeys): Promise<readonly RegisterRecord[]>;
  contactOf(citizenId: string): Promise<RegisterContact | undefined>;
  exists(citizenId: string): Promise<boolean>;
};

/** Thrown by an adapter. A verification is then answered not_determined, any other request is refused. */
export class RegisterUnavailable extends UnavailableError {
  constructor(message: string, options?: ErrorOptions) {
    super('register-unavailable', message, options);
    this.name = 'RegisterUnavailable';
  }
}
