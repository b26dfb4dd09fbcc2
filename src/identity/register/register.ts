import { UnavailableError } from '../../kernel/unavailable-error.ts';
import type { ClaimName } from './claims.ts';

/** What the register holds about one person; null where it holds nothing. */
export type RegisterRecord = { readonly citizenId: string } & {
  readonly [claim in Exclude<ClaimName, 'citizenId'>]: string | null;
} & {
  /** The record is disputed: what fits it is not yet a match. */
  readonly underReview: boolean;
  /** The citizen has forbidden that anybody is told anything; answered as if nothing fitted. */
  readonly locked?: boolean;
  /** The same by a lock of the citizen's own, which staff and imports do not touch. */
  readonly ownLock?: boolean;
  /** The person has died: answered as if nothing fitted, unless the policy says otherwise. */
  readonly deceased?: boolean;
  readonly formerNames?: readonly FormerName[];
  readonly formerAddresses?: readonly FormerAddress[];
};

/** From when until when something was true, each YYYY-MM-DD or less, where that is known. */
type ValidityPeriod = { readonly from?: string; readonly until?: string };

/** A name that the person had before. */
export type FormerName = ValidityPeriod & { readonly givenName?: string; readonly familyName?: string };

/** Where the person lived before. */
export type FormerAddress = ValidityPeriod & {
  readonly streetAddress?: string;
  readonly postalCode?: string;
  readonly locality?: string;
  readonly country?: string;
};

/** Where a citizen can be reached, as the register knows it. */
export type RegisterContact = {
  readonly citizenId: string;
  readonly name: string;
  readonly email: string | null;
  /** In E.164 where the register keeps it so; it is given as it was imported. */
  readonly phone: string | null;
  /** A BCP 47 tag, as `de` or `pt-BR`. */
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

/** What persons are searched by who are asked about without an id. */
export type SearchKeys = {
  /** Keys of `names/name-key.ts`: of the family name, and of the given name for whom the two were exchanged. */
  readonly familyKeys: readonly string[];
  /** In the form of `dateForm`; records that hold less, and with a partial date those that hold more, are found too. */
  readonly birthDate: string;
  /** Everybody born that day is a candidate, whatever the name: for policies that decide by probability. */
  readonly anyName?: boolean;
};

/** By what persons are found who might be meant as well, whatever their birth date. An empty list finds nobody. */
export type CompetingCandidateKeys = {
  /** Keys of names: who has two of them, as family and as given name in any order. */
  readonly names: readonly string[];
  /** Keys of family names: everybody of these families, unless they are more than can be compared. */
  readonly families: readonly string[];
  /** Keys of streets with the house number, and postal codes as they are kept: who lives in one of both. */
  readonly streets: readonly number[];
  readonly postalCodes: readonly string[];
};

/** The rivals that were found; `crowd`: more share both names, or the address, than can be compared. */
export type CompetingCandidates = { readonly records: readonly RegisterRecord[]; readonly tooMany: boolean };

/** The most persons of a family that are looked at as rivals; of a larger one only those who share more. */
export const maxFamilyMembers = 300;

/** The most candidates that a search gives; more of them are too many to tell apart. */
export const maxCandidates = 100;

/** The register of citizens: our own tables, or one that is asked over a network. */
export type Register = {
  find(citizenId: string): Promise<RegisterRecord | undefined>;
  /** Candidates to compare, at most `mostCandidates` and one more. */
  search(keys: SearchKeys): Promise<readonly RegisterRecord[]>;
  /** Who might be meant beside somebody: see `match/rivals.ts`. */
  searchCompeting(keys: CompetingCandidateKeys): Promise<CompetingCandidates>;
  /** Persons of that very birth date who have two of these keys, as family and as given name: see `match/twins.ts`. */
  searchExactNamesakes(keys: SearchKeys): Promise<readonly RegisterRecord[]>;
  contactOf(citizenId: string): Promise<RegisterContact | undefined>;
  exists(citizenId: string): Promise<boolean>;
};

/** The register could not be asked; thrown by an adapter. A question is then left open, any other request refused. */
export class RegisterUnavailable extends UnavailableError {
  constructor(message: string, options?: ErrorOptions) {
    super('register-unavailable', message, options);
    this.name = 'RegisterUnavailable';
  }
}
