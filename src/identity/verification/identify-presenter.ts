import type { Read } from '../../db/database.ts';
import type { NormalisedClaims } from '../match/comparable.ts';
import { compareRecord, decoyRecord } from '../match/compare.ts';
import { decideRecord } from '../match/decide.ts';
import { withCountedFormerValues } from '../match/former-values.ts';
import { isSameValue } from '../match/level.ts';
import type { Claims } from '../register/claims.ts';
import { RegisterUnavailable } from '../register/register.ts';
import { explainDecision } from './explanation.ts';
import {
  type IdentificationResult,
  identifyCitizen,
  type MatchContext,
  undeterminedResult,
  unmatchedReasonOf,
} from './identify-citizen.ts';
import { findLinkedCitizen } from './wallet-link-store.ts';

type PresenterContext = MatchContext & {
  readonly read: Read;
  /** The stored form of the administrative number. */
  readonly link: string | undefined;
  /** The citizen whom the client expects. */
  readonly expectedCitizenId: string | undefined;
};

/**
 * Finds the citizen whose wallet attests these claims, and decides by the policy. Nothing counts as a failed verification: attested values
 * cannot be tried. The client sent no id, so each result is that of a search.
 */
export async function identifyPresenter(
  normalisedClaims: NormalisedClaims,
  claims: Claims,
  context: PresenterContext,
): Promise<IdentificationResult> {
  try {
    const [found, linked] = await Promise.all([
      identifyAttested(normalisedClaims, claims, context),
      identifyLinked(normalisedClaims, context),
    ]);
    const result = linked === undefined ? found : combineWithLink(found, linked);
    return { ...withExpectation(result, context.expectedCitizenId), isSearch: true };
  } catch (fault) {
    if (!(fault instanceof RegisterUnavailable)) throw fault;
    return undeterminedResult(undefined);
  }
}

/** If the register does not have an attested id, the id is a value of the credential only, so it is not stored as that of a citizen. */
async function identifyAttested(
  normalisedClaims: NormalisedClaims,
  claims: Claims,
  context: MatchContext,
): Promise<IdentificationResult> {
  const { citizenId } = claims;
  const [found, isKnown] = await Promise.all([
    identifyCitizen(normalisedClaims, claims, context),
    citizenId === undefined ? true : context.register.exists(citizenId),
  ]);
  return isKnown ? found : { ...found, concernedIds: [], aboutCitizenId: null };
}

/**
 * The citizen to whom the administrative number is linked, if the whole birth date is that of the record. Names and addresses change, and
 * may differ. Attack: a country assigns the number of a dead person again, and its new owner would be taken for that person. A birth date
 * does not change, so a link with another one has no effect (src/identity/decide-presented-claims.test.ts).
 */
async function identifyLinked(
  claims: NormalisedClaims,
  { read, link, register, policy, frequencies, today }: PresenterContext,
): Promise<IdentificationResult | undefined> {
  const citizenId = link === undefined ? undefined : await findLinkedCitizen(read, link);
  const record = citizenId === undefined ? undefined : await register.find(citizenId);
  // The decoy is compared too, so that the work does not depend on a link.
  const compared = withCountedFormerValues(record ?? decoyRecord, policy, today);
  const comparison = compareRecord(compared, claims, policy, frequencies);
  const isWholeDate = claims.values.birthDate?.forms[0]?.length === 10;
  if (citizenId === undefined || record === undefined) return undefined;
  if (!isWholeDate || !isSameValue(comparison.levels.birthDate)) return undefined;
  const decision = decideRecord(record, true, policy);
  const reason = unmatchedReasonOf(record, { ...comparison, fits: true, decision }, policy);
  return {
    decision,
    levels: comparison.levels,
    concernedIds: [citizenId],
    aboutCitizenId: citizenId,
    isSearch: true,
    explanation: explainDecision(reason, comparison.levels),
  };
}

/**
 * A link replaces a search that finds nobody, several people or the same citizen. If the claims fit another citizen, whether or not that
 * record is locked, nobody can say whose number it is.
 */
function combineWithLink(found: IdentificationResult, linked: IdentificationResult): IdentificationResult {
  const { aboutCitizenId, explanation } = found;
  const concernedIds = [...new Set([...linked.concernedIds, ...found.concernedIds])];
  const fitsOther =
    aboutCitizenId !== null && aboutCitizenId !== linked.aboutCitizenId && explanation.reason !== 'claims-do-not-fit';
  if (!fitsOther) return { ...linked, concernedIds };
  const conflict = explainDecision('others-fit-as-well', linked.levels);
  return { ...linked, decision: 'not_determined', levels: {}, concernedIds, explanation: conflict };
}

/** The answer if the client expects another citizen: no_match, as for wrong claims, so that it does not reveal who was found. */
function withExpectation(
  { explanation, ...result }: IdentificationResult,
  expectedCitizenId: string | undefined,
): IdentificationResult {
  const isOther = expectedCitizenId !== undefined && result.aboutCitizenId !== expectedCitizenId;
  const isIdentified = result.decision === 'match' || explanation.reason === 'record-under-review';
  if (!isOther || !isIdentified) return { ...result, explanation };
  return {
    ...result,
    decision: 'no_match',
    levels: {},
    explanation: { ...explanation, reason: 'other-person-expected' },
  };
}
