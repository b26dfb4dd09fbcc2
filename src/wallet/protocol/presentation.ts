import type { JWK } from 'jose';
import type { EventId, PresentationId } from '../../kernel/id.ts';
import type { SystemEvent } from '../../ledger/ledger-event.ts';
import type { FailureReason } from '../failure-reason.ts';

/** The states of a presentation. The first three are open, and the others final. */
export const presentationStatuses = [
  'requested',
  'fetched',
  'answered',
  'completed',
  'refused',
  'failed',
  'expired',
  'cancelled',
] as const;
/** One of `presentationStatuses`. */
export type PresentationStatus = (typeof presentationStatuses)[number];

/** The states that are not final. */
export const openStatuses: readonly PresentationStatus[] = ['requested', 'fetched', 'answered'];

/** How the service confirms that the citizen of the wallet is the user of its session on another device. */
export const confirmations = ['none', 'code'] as const;

/**
 * `haip`: HAIP 1.0, with the hash of the access certificate as client id. `openid4vp`: OpenID4VP 1.0 without that profile, with the
 * DNS name of the certificate.
 */
export const walletProfiles = ['haip', 'openid4vp'] as const;

/** The device whose wallet answers: that of the session at the service, or another one, which scans the QR code. */
export type Device = 'same' | 'other';

/** The secrets of the request to the wallet of one device. Each request has its own. */
export type WalletRequest = {
  readonly device: Device;
  /** In the path of the request object, and in that of the response. */
  readonly requestHandle: string;
  readonly responseHandle: string;
  readonly nonce: string;
  readonly state: string;
  /** The private key (JWK) for which the wallet encrypts its response. */
  readonly responseKey: JWK;
};

/** The request of the service. It is stored encrypted, and deleted at the end. */
export type PresentationTerms = {
  readonly kinds: readonly string[];
  readonly claims: readonly string[];
  readonly purpose?: string | undefined;
  readonly legalBasis?: string | undefined;
  /** A value of the service, for its signed result. */
  readonly nonce?: string | undefined;
  /** The citizen whom the service expects. */
  readonly citizenId?: string | undefined;
  readonly returnUrl?: string | undefined;
  readonly confirmation: (typeof confirmations)[number];
  readonly profile: (typeof walletProfiles)[number];
  readonly language?: string | undefined;
  readonly pageHandle: string;
  readonly requests: readonly WalletRequest[];
};

/** The attributes of a presentation whose checks succeeded. They leave the server only as a decision. */
export type CheckedPresentation = {
  readonly kind: string;
  readonly claims: Readonly<Record<string, string>>;
  readonly evidence: {
    /** The `vct` or document type. */
    readonly credentialType: string;
    readonly format: string;
    readonly issuer: string;
    /** ISO 3166-1 alpha-2. */
    readonly issuingCountry?: string;
    /** The SHA-256 of the issuer certificate in base64url. */
    readonly certificateDigest: string;
  };
  readonly administrativeNumber?: string;
};

/** The code that proves the session: in the address to which the wallet returns, or typed by the citizen. */
export type SessionCode = { readonly by: 'return' | 'citizen'; readonly code: string };

/** A checked presentation until its session is confirmed. It is stored encrypted, and deleted at the end. */
export type PendingPresentation = { readonly checked: CheckedPresentation; readonly session: SessionCode };

/** A presentation as it is stored. `terms` is undefined after the end. */
export type Presentation = {
  readonly id: PresentationId;
  readonly clientId: string;
  readonly status: PresentationStatus;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly endedAt: number | null;
  /** Whether the citizen agreed to be recognised by the number, now and next time; null if the page has not asked yet. */
  readonly keepsLink: boolean | null;
  readonly reason: FailureReason | null;
  readonly walletError: WalletError | null;
  /** The stored result of a completed presentation. */
  readonly verificationId: string | null;
  /** The purpose stays for the page after the end. */
  readonly purpose: string | null;
  readonly terms: PresentationTerms | undefined;
  readonly pending: PendingPresentation | undefined;
};

/** An open presentation with its terms. */
export type OpenPresentation = Presentation & { readonly terms: PresentationTerms };

/** The presentation if it is open at this instant (epoch milliseconds). */
export function ifOpen(presentation: Presentation | undefined, now: number): OpenPresentation | undefined {
  if (presentation?.terms === undefined || presentation.expiresAt <= now) return undefined;
  return openStatuses.includes(presentation.status) ? { ...presentation, terms: presentation.terms } : undefined;
}

/** The status at this instant: an open presentation whose time is over is expired, also before the job has recorded it. */
export function presentationStatusAt({ status, expiresAt }: Presentation, now: number): PresentationStatus {
  return openStatuses.includes(status) && expiresAt <= now ? 'expired' : status;
}

/** The errors of a wallet (OpenID4VP 1.0, section 8.5). Any other one is `other`. */
export const walletErrors = [
  'access_denied',
  'invalid_request',
  'invalid_request_uri_method',
  'invalid_transaction_data',
  'vp_formats_not_supported',
  'wallet_unavailable',
  'other',
] as const;
/** One of `walletErrors`. */
export type WalletError = (typeof walletErrors)[number];

/** The error of a wallet as it is stored: other texts are not, because they may name the citizen. */
export function walletErrorOf(text: string): WalletError {
  return walletErrors.find((error) => error === text) ?? 'other';
}

/** An event about a presentation. */
export type PresentationEvent = Extract<SystemEvent, { readonly presentation: PresentationId }>;

/** The limits of presentations. */
export const sessionLimits = {
  /** From the request until the result. */
  openMs: 10 * 60_000,
  /** From the end until the row is deleted. */
  keptMs: 7 * 86_400_000,
  /** Bytes of the form that a wallet sends. */
  responseBytes: 131_072,
  /** Bytes of the form with which a wallet fetches the request. */
  requestBytes: 65_536,
  /** Wrong codes that the citizen can type. */
  codeAttempts: 5,
} as const;

/**
 * The states in which a decision about this presentation is still valid. After a response has arrived, an earlier decision is no
 * longer valid, because it would lose the response.
 */
export function sameStage({ status }: Pick<Presentation, 'status'>): readonly PresentationStatus[] {
  return status === 'answered' ? ['answered'] : ['requested', 'fetched'];
}

/** The members that all events of a presentation have. */
export function presentationHead(
  { id, clientId }: Pick<Presentation, 'id' | 'clientId'>,
  by: { readonly event: EventId; readonly at: number; readonly actor: PresentationEvent['actor'] },
) {
  return { id: by.event, at: by.at, actor: by.actor, presentation: id, clientId };
}
