import { createHash } from 'node:crypto';
import { toInstant } from '../kernel/clock.ts';
import type { PublicJwk } from '../keys/signing-key.ts';
import { isOwnProof } from './confirm-receipt.ts';
import { type Calendar, type LegalFacts, legalEffectOf } from './legal-effect.ts';
import type { Notification } from './notification.ts';
import { type Entry, receiptOf, timelineOf } from './notification-shape.ts';
import type { Found } from './read-notification.ts';
import { type Content, contentBytes } from './sealed-content.ts';

/**
 * The names of ETSI EN 319 522 for what happened. The words are aligned with that vocabulary; it is no claim to be a
 * qualified service. A mail, text message or letter leaves the house, so it is relayed and never handed over.
 */
export type EvidenceEvent =
  | 'SubmissionAcceptance'
  | 'ContentConsignment'
  | 'ContentConsignmentFailure'
  | 'ContentAccessTracking'
  | 'ContentHandoverFailure'
  | 'RelayToNonERDS'
  | 'RelayToNonERDSFailure';

/** What the issuer of a bundle adds. */
export type Issuer = {
  readonly publicUrl: string;
  readonly senderName: string;
  readonly key: PublicJwk;
  readonly calendar: Calendar;
  readonly now: number;
};

/** What a bundle states, to be signed. `content` is undefined where the citizen's data was erased. */
export function evidenceOf(found: Found, content: Content | undefined, issuer: Issuer) {
  const { notification, deliveries, attempts } = found;
  const { id, reference, category, language, status, createdAt, deliverBy, clientId, citizenId } = notification;
  const timeline = timelineOf(notification, deliveries, attempts);
  const digest = content === undefined ? undefined : createHash('sha256').update(contentBytes(content)).digest('hex');
  const effect =
    notification.legalEffect === null
      ? {}
      : { legalEffect: legalEffectOf(notification.legalEffect, factsOf(found, timeline), issuer.calendar, issuer.now) };
  return {
    format: 'citizen-services-evidence/1',
    iss: issuer.publicUrl,
    iat: Math.floor(issuer.now / 1_000),
    notification: {
      id,
      reference,
      category,
      language,
      status,
      createdAt: toInstant(createdAt),
      deliverBy: toInstant(deliverBy),
    },
    sender: { clientId, name: issuer.senderName },
    recipient: { citizenId },
    ...(digest === undefined ? {} : { contentDigest: `sha-256:${digest}` }),
    evidence: timeline
      .flatMap((entry) => evidenceEntry(entry, notification))
      .map((entry, index) => ({ id: `${id}.${index + 1}`, ...entry })),
    ...effect,
    receipt: receiptOf(notification),
    issuerKey: issuer.key,
  };
}

function evidenceEntry({ at, event, channel, attempt, reason }: Entry, notification: Notification) {
  const name = nameOf(event, channel, reason);
  if (name === undefined) return [];
  return [
    {
      event: `http://uri.etsi.org/19522/Event/${name}`,
      time: toInstant(at),
      ...(channel === undefined ? {} : { channel }),
      ...(attempt === undefined ? {} : { attempt }),
      ...(event === 'delivered' && channel !== 'inbox'
        ? { [isOwnProof(notification, at) ? 'citizenProof' : 'providerProof']: true }
        : {}),
      ...(reason === undefined ? {} : { eventReasons: [reason] }),
    },
  ];
}

function nameOf(
  event: Entry['event'],
  channel: string | undefined,
  reason: Entry['reason'],
): EvidenceEvent | undefined {
  switch (event) {
    case 'accepted':
      return 'SubmissionAcceptance';
    case 'sent':
      return channel === 'inbox' ? 'ContentConsignment' : 'RelayToNonERDS';
    case 'delivered':
      return channel === 'inbox' ? undefined : 'RelayToNonERDS';
    case 'failed':
    case 'unknown':
      return channel === 'inbox' ? 'ContentConsignmentFailure' : 'RelayToNonERDSFailure';
    case 'skipped':
      return reason === 'no-contact' || reason === 'declined' ? 'RelayToNonERDSFailure' : undefined;
    case 'read':
      return 'ContentAccessTracking';
    case 'undeliverable':
      return 'ContentHandoverFailure';
    case 'scheduled':
    case 'sending':
    case 'retry':
    case 'cancelled':
      return undefined;
  }
}

/** The inbox has the message from the acceptance on, or from the attempt that placed it at `sendAt`. */
function factsOf({ notification, deliveries, attempts }: Found, timeline: readonly Entry[]): LegalFacts {
  const inbox = deliveries.find(({ channel }) => channel === 'inbox');
  const placed = attempts.find(({ delivery, outcome }) => delivery === inbox?.id && outcome === 'sent');
  const lies = inbox?.state.status === 'sent' || inbox?.state.status === 'delivered';
  const letter = timeline.find(({ channel, event }) => channel === 'letter' && event === 'sent');
  return {
    acceptedAt: notification.createdAt,
    availableAt: placed?.endedAt ?? (lies ? notification.createdAt : undefined),
    openedAt: notification.status === 'read' ? notification.statusAt : undefined,
    letterAt: letter?.at,
  };
}
