import type { DecidedPresentation, PresentedClaims, WalletConfiguration, WalletPorts } from './ports.ts';
import type { ChangedBy } from './presentation-effects.ts';
import {
  type CheckedPresentation,
  type OpenPresentation,
  type PresentationEvent,
  presentationHead,
  sameStage,
} from './protocol/presentation.ts';
import { endPresentation } from './protocol/presentation-store.ts';
import type { CredentialKind } from './trust/wallet-trust.ts';

/** The operator has removed a kind of credential from its settings while a presentation of that kind was open. */
class CredentialKindRemoved extends Error {
  override readonly name = 'CredentialKindRemoved';
}

/**
 * Compares the attributes of a checked presentation with the register, and completes the presentation in the same unit. Refused (`rows`)
 * if its state has changed meanwhile.
 */
export async function decidePresentation(
  ports: Pick<WalletPorts, 'decide' | 'feedEvent'> & { readonly wallets: WalletConfiguration },
  presentation: OpenPresentation,
  checked: CheckedPresentation,
  { now, createId, actor }: ChangedBy,
): Promise<DecidedPresentation> {
  const kind = ports.wallets.trust.kinds.get(checked.kind);
  if (kind === undefined) throw new CredentialKindRemoved(`expected the kind ${checked.kind} in WALLET_TRUST`);
  const { effect, result } = await ports.decide(presentedClaims(presentation, checked, kind), { now, createId });
  const event: PresentationEvent = {
    type: 'identity.presentation-completed',
    ...presentationHead(presentation, { event: createId('event'), at: now, actor }),
  };
  const { verificationId } = result;
  const end = { from: sameStage(presentation), to: 'completed', at: now, verificationId } as const;
  return {
    effect: {
      ...effect,
      events: [...effect.events, event],
      statements: [endPresentation(presentation.id, end), ...effect.statements, ports.feedEvent(event, 'completed')],
    },
    result,
  };
}

function presentedClaims(
  { clientId, terms, keepsLink }: OpenPresentation,
  { claims, evidence, administrativeNumber }: CheckedPresentation,
  { assurance, citizenIdFrom }: CredentialKind,
): PresentedClaims {
  const { purpose, legalBasis, nonce, citizenId } = terms;
  const { issuingCountry } = evidence;
  return {
    clientId,
    claims,
    purpose,
    legalBasis,
    nonce,
    expectedCitizenId: citizenId,
    assurance,
    evidence,
    ...(administrativeNumber === undefined || issuingCountry === undefined
      ? {}
      : { link: { issuingCountry, administrativeNumber, consented: keepsLink === true } }),
    isAdministrativeNumberCitizenId: citizenIdFrom !== undefined && citizenIdFrom === issuingCountry,
  };
}
