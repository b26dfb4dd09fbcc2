import type { PublicJwk } from '../../crypto/signing-key.ts';
import { formatInstant } from '../../kernel/clock.ts';
import type { Erasure } from '../../ledger/erase-citizen.ts';
import { contentDigestOf, type MessageContent } from '../notification/message-content.ts';
import {
  isUntried,
  type NotificationDetails,
  receiptPathOf,
  type TimelineEntry,
  timelineOf,
} from '../notification/notification-shape.ts';
import type { LegalEffect, LegalFacts } from './legal-effect.ts';

/**
 * The names of ETSI EN 319 522 for what happened. The words are aligned with that vocabulary; it is no claim to be a
 * qualified service. A mail, text message or letter leaves the house, so it is relayed and never handed over.
 */
type EvidenceEvent =
  | 'SubmissionAcceptance'
  | 'ContentConsignment'
  | 'ContentConsignmentFailure'
  | 'ContentAccessTracking'
  | 'ContentHandoverFailure'
  | 'RelayToNonERDS'
  | 'RelayToNonERDSFailure';

/** What the issuer of a bundle adds. */
type Issuer = {
  readonly publicUrl: string;
  readonly senderName: string;
  readonly key: PublicJwk;
  readonly now: number;
};

/** What a bundle is about: the content, or that the citizen's data was erased; the legal effect where a rule was named. */
type EvidenceSubject = {
  readonly found: NotificationDetails;
  readonly content: MessageContent | Erasure;
  readonly legalEffect: LegalEffect | undefined;
};

/** What a bundle states, to be signed. Where the citizen's data was erased it says so, in place of the digest. */
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
    evidence: timelineOf(found).flatMap(evidenceEntry),
    ...(legalEffect === undefined ? {} : { legalEffect }),
    receipt: receiptPathOf(notification),
    issuerKey: issuer.key,
  };
}

/**
 * The digest of the content, as the ledger has it since the acceptance; of erased content the event that erased it. Whose language
 * chose the text is told by digest and salt to whoever has the others: not of what can still be withdrawn, by which one could try who
 * is known here.
 */
function contentClaimsOf(
  content: MessageContent | Erasure,
  { notification, deliveries, attempts }: NotificationDetails,
) {
  if ('message' in content) {
    const isChosen = content.language !== undefined && notification.language === null;
    const isHeldBack = isChosen && deliveries.every((one) => isUntried(one, attempts));
    const stated = { content: 'whole', contentDigest: contentDigestOf(content) } as const;
    return isHeldBack || content.salt === undefined ? stated : { ...stated, contentSalt: content.salt };
  }
  const { at, event } = content;
  return { content: 'erased', erasure: { event, time: formatInstant(at) } } as const;
}

/**
 * The id is made of stored ones, never of a place in the list: a bundle that is given out later has all that an earlier one
 * had, under the same ids and in the same words. Of the events that are evidence each comes once of its subject.
 */
function evidenceEntry({
  at,
  subjectId,
  event,
  channel,
  attempt,
  reason,
  confirmed = false,
  repeated = false,
}: TimelineEntry) {
  const name = eventNameOf(event, channel, reason);
  if (name === undefined) return [];
  return [
    {
      id: `${subjectId}.${event}${repeated ? '-again' : ''}`,
      event: `http://uri.etsi.org/19522/Event/${name}`,
      time: formatInstant(at),
      ...(channel === undefined ? {} : { channel }),
      ...(attempt === undefined ? {} : { attempt }),
      ...(event === 'delivered' && channel !== 'inbox' ? { [confirmed ? 'citizenProof' : 'providerProof']: true } : {}),
      ...(reason === undefined ? {} : { eventReasons: [reason] }),
    },
  ];
}

function eventNameOf(
  event: TimelineEntry['event'],
  channel: string | undefined,
  reason: TimelineEntry['reason'],
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

/** What rules look at: no letter that came back. The inbox has the message from the acceptance on, or from the attempt that placed it at `sendAt`. */
export function legalFactsOf(found: NotificationDetails): LegalFacts {
  const { notification, deliveries, attempts } = found;
  const inbox = deliveries.find(({ channel }) => channel === 'inbox');
  const placed = attempts.find(({ delivery, outcome }) => delivery === inbox?.id && outcome === 'sent');
  const isInInbox = inbox?.state.status === 'sent' || inbox?.state.status === 'delivered';
  const timeline = timelineOf(found);
  const wasReturned = (subjectId: string) =>
    timeline.some((entry) => entry.subjectId === subjectId && entry.reason === 'letter-returned');
  const letter = timeline.find(
    ({ channel, event, subjectId }) => channel === 'letter' && event === 'sent' && !wasReturned(subjectId),
  );
  return {
    availableAt: placed?.endedAt ?? (isInInbox ? notification.createdAt : undefined),
    openedAt: notification.status === 'read' ? notification.statusAt : undefined,
    letterAt: letter?.at,
  };
}
