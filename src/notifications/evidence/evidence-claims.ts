import type { PublicJwk } from '../../crypto/signing-key.ts';
import { formatInstant } from '../../kernel/clock.ts';
import type { Erasure } from '../../ledger/erase-citizen.ts';
import type { LegalEffect } from '../legal-effect/legal-effect.ts';
import { contentDigestOf, type MessageContent } from '../notification/message-content.ts';
import type { Notification } from '../notification/notification.ts';
import {
  isUntried,
  type NotificationDetails,
  receiptPathOf,
  type TimelineEntry,
  timelineOf,
} from '../notification/notification-shape.ts';

/** The claims that the issuer of a bundle adds. */
type Issuer = {
  readonly publicUrl: string;
  readonly senderName: string;
  readonly key: PublicJwk;
  readonly now: number;
};

/** The subject of a bundle: the notification, its content or erasure, and the legal effect if the sender named a rule. */
type EvidenceSubject = {
  readonly found: NotificationDetails;
  readonly content: MessageContent | Erasure;
  readonly legalEffect: LegalEffect | undefined;
};

/** The claims of a bundle. For an erased citizen they contain the erasure in place of the digest. */
export function evidenceClaimsOf({ found, content, legalEffect }: EvidenceSubject, issuer: Issuer) {
  const { notification } = found;
  const { id, reference, category, language, status, createdAt, deliverBy, clientId, citizenId } = notification;
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
      createdAt: formatInstant(createdAt),
      deliverBy: formatInstant(deliverBy),
    },
    sender: { clientId, name: issuer.senderName },
    recipient: { citizenId },
    ...contentClaimsOf(content, found),
    evidence: timelineOf(found).flatMap((entry) => evidenceEntry(entry, notification)),
    ...(legalEffect === undefined ? {} : { legalEffect }),
    receipt: receiptPathOf(notification),
    issuerKey: issuer.key,
  };
}

/**
 * The digest of the content as in the ledger, or the event that erased the content. For a text that was chosen by the citizen's language,
 * digest and salt show its sender that language. The salt is therefore left out until a delivery was tried: before that, a sender could
 * cancel the message, and so test who is registered.
 */
function contentClaimsOf(
  content: MessageContent | Erasure,
  { notification, deliveries, attempts }: NotificationDetails,
) {
  if ('message' in content) {
    const isChosen = content.language !== undefined && notification.language === null;
    const isHeldBack = isChosen && deliveries.every((one) => isUntried(one, attempts));
    const claims = { content: 'whole', contentDigest: contentDigestOf(content) } as const;
    return isHeldBack || content.salt === undefined ? claims : { ...claims, contentSalt: content.salt };
  }
  const { at, event } = content;
  return { content: 'erased', erasure: { event, time: formatInstant(at) } } as const;
}

/**
 * An entry of the evidence. Its id is built from stored ids, never from a position in the list, so later bundles contain the entries of
 * earlier ones unchanged. Each event occurs once for its subject.
 */
function evidenceEntry(entry: TimelineEntry, { noticeOnly }: Notification) {
  const { at, subjectId, event, channel, attempt, reason, confirmed = false, repeated = false } = entry;
  const name = eventNameOf(entry, noticeOnly);
  if (name === undefined) return [];
  return [
    {
      id: `${subjectId}.${event}${repeated ? '-again' : ''}`,
      event: `http://uri.etsi.org/19522/Event/${name}`,
      time: formatInstant(at),
      ...(channel === undefined ? {} : { channel }),
      ...(attempt === undefined ? {} : { attempt }),
      ...(event === 'delivered' && channel !== 'inbox' ? { [confirmed ? 'citizenProof' : 'providerProof']: true } : {}),
      ...(event === 'confirmed' ? { basis: 'confirmed by the link in the message' } : {}),
      ...(reason === undefined ? {} : { eventReasons: [reason] }),
    },
  ];
}

/**
 * The event name of ETSI EN 319 522. Using it does not make this server a qualified service. A mail, text message or letter goes to an
 * external provider, so it is relayed and never handed over; one without the content only notifies the citizen of the message. A delivery
 * or notification with an unknown outcome has no event, because nothing proves that it was relayed, or that it failed. The status `sent` of
 * a notification adds nothing to the relays before it.
 */
function eventNameOf({ event, channel, reason }: TimelineEntry, noticeOnly: boolean): string | undefined {
  const isNotice = noticeOnly && (channel === 'email' || channel === 'sms');
  const relay = isNotice ? 'ConsignmentNotification' : 'RelayToNonERDS';
  switch (event) {
    case 'accepted':
      return 'SubmissionAcceptance';
    case 'sent':
      if (channel === undefined) return undefined;
      return channel === 'inbox' ? 'ContentConsignment' : relay;
    case 'delivered':
      return channel === 'inbox' ? undefined : relay;
    case 'failed':
      return channel === 'inbox' ? 'ContentConsignmentFailure' : `${relay}Failure`;
    case 'skipped':
      return reason === 'no-contact' || reason === 'declined' ? `${relay}Failure` : undefined;
    case 'confirmed':
      return 'NotificationAccessTracking';
    case 'read':
      return 'ContentAccessTracking';
    case 'undeliverable':
      return 'ContentHandoverFailure';
    case 'unknown':
    case 'scheduled':
    case 'sending':
    case 'retry':
    case 'cancelled':
      return undefined;
  }
}
