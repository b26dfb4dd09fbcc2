import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import type { SigningKey } from '../crypto/signing-key.ts';
import type { Statement } from '../db/database.ts';
import { refuse } from '../kernel/refusal.ts';
import { type CitizenKeys, keyCacheMs } from '../ledger/citizen-keys.ts';
import { type Erasure, findErasure } from '../ledger/erase-citizen.ts';
import { type RequestTimeStamp, signEvidence } from './evidence/evidence-bundle.ts';
import { evidenceClaimsOf } from './evidence/evidence-claims.ts';
import { type LegalEffect, legalEffectOf } from './legal-effect/legal-effect.ts';
import { findLegalEffect, saveLegalEffect } from './legal-effect/legal-effect-store.ts';
import { legalFactsOf } from './legal-effect/legal-facts.ts';
import { type MessageContent, openMessageContent, tryOpenContent } from './notification/message-content.ts';
import type { Notification } from './notification/notification.ts';
import { type NotificationDetails, notificationParams } from './notification/notification-shape.ts';
import { findNotificationWithContent } from './notification/notification-store.ts';
import type { NotificationPorts } from './ports.ts';
import { findOwnNotification } from './read-notification.ts';

/** The dependencies of evidence, in addition to `NotificationPorts`. */
export type EvidencePorts = {
  /** For erased content: the pseudonym of the citizen, and whether there is a key now. */
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'earlierKeyOf' | 'guardedKeyOf' | 'pseudonymOf'>;
  /** The current signing key of evidence. */
  readonly evidenceKey: () => SigningKey;
  /** The public URL of this server, which bundles contain. */
  readonly evidenceIssuer: string;
  /** Requests time stamps; absent when the operator has set no authority. */
  readonly requestTimeStamp?: RequestTimeStamp | undefined;
};

/** The stored content of a notification was altered. */
class AlteredContentError extends Error {
  override readonly name = 'AlteredContentError';
}

const request = { params: notificationParams };

type EvidenceCall = OperationCall<typeof request, NotificationPorts & EvidencePorts>;

/** Reads the signed history of a notification. Its sender keeps it and can verify it without this server. */
export const readEvidence = defineOperation({
  name: 'readEvidence',
  since: '1.0',
  method: 'GET',
  path: '/v1/notifications/{id}/evidence',
  scope: 'notifications:read',
  callers: ['clients'],
  summary: 'Read the evidence of a notification',
  description:
    'Returns a JWS that you can verify offline, with the events by their names in ETSI EN 319 522. It also has the digest of the content, or the event that erased it, and the requested legal effect. Verify it with `citizen-services evidence verify FILE --keys JWKS`, or with a JOSE library and /.well-known/jwks.json.',
  request,
  responses: {
    200: {
      description: 'The evidence bundle.',
      schema: Type.Object({
        evidence: Type.String({ description: 'The evidence as a compact JWS (RFC 7515).' }),
        timeStamp: Type.Optional(
          Type.String({
            description:
              'A JWS with a time stamp token (RFC 3161) for the evidence. Absent if the operator has set no time-stamping authority.',
          }),
        ),
      }),
      headers: { 'Content-Disposition': 'attachment, with a file name (RFC 6266).' },
    },
  },
  refusals: ['notification-not-found'],
  citizenData: true,
  run: async (call: EvidenceCall) => {
    const { ports, caller, now } = call;
    const found = await findOwnNotification(call.read, call.params.id, caller.clientId);
    if (found === undefined) return { refusal: refuse('notification-not-found') };
    const { notification } = found;
    const [content, sender, { legalEffect, statements }] = await Promise.all([
      contentOrErasure(call, notification),
      ports.senderOf(caller.clientId),
      determineLegalEffect(call, found),
    ]);
    const key = ports.evidenceKey();
    const issuer = { publicUrl: ports.evidenceIssuer, senderName: sender.name, key: key.publicJwk, now };
    const claims = evidenceClaimsOf({ found, content, legalEffect }, issuer);
    const head = { id: call.createId('event'), at: now, actor: { client: caller.clientId } };
    const subject = { citizenId: notification.citizenId, notification: notification.id };
    return {
      effect: { events: [{ type: 'notification.status-read', ...head, ...subject }], statements },
      answer: {
        status: 200,
        headers: { 'content-disposition': `attachment; filename="${notification.id}.evidence.json"` },
        json: await signEvidence(key, claims, ports.requestTimeStamp),
      },
    };
  },
});

type LegalEffectWrite = { readonly legalEffect: LegalEffect | undefined; readonly statements: readonly Statement[] };

/** The stored legal effect, or the one that is determined now, with the statement that stores it. */
async function determineLegalEffect(
  { ports, read, now }: EvidenceCall,
  found: NotificationDetails,
): Promise<LegalEffectWrite> {
  const { id, legalEffect: rule } = found.notification;
  if (rule === null) return { legalEffect: undefined, statements: [] };
  const stated = await findLegalEffect(read, id);
  if (stated !== undefined) return { legalEffect: stated, statements: [] };
  const legalEffect = legalEffectOf(rule, legalFactsOf(found), ports.calendar, now);
  const isReached = legalEffect.effectiveAt !== undefined;
  return { legalEffect, statements: isReached ? [saveLegalEffect(id, legalEffect, now)] : [] };
}

/**
 * The content of a notification, or its erasure. Throws when the content cannot be decrypted although its citizen was not erased: the
 * stored content was altered, so no bundle is signed and the log shows why.
 */
async function contentOrErasure(
  call: EvidenceCall,
  { id, citizenId, createdAt }: Notification,
): Promise<MessageContent | Erasure> {
  const { citizenKeys } = call.ports;
  const found = await findNotificationWithContent(call.read, id);
  if (found === undefined) throw new TypeError(`the row of ${id} has disappeared`);
  const cached = await openMessageContent(citizenKeys, { id, citizenId }, found.content);
  if (cached !== undefined) return cached;
  // The cached key may be older than an erasure after which the citizen was registered again.
  const storedKey = await citizenKeys.guardedKeyOf(citizenId);
  const content = storedKey === undefined ? undefined : tryOpenContent(storedKey.key, id, found.content);
  if (content !== undefined) return content;
  const erasure = await findErasure(call.read, citizenKeys.pseudonymOf(citizenId));
  // Another process can use the old key after the erasure for as long as it has it in its cache.
  if (erasure !== undefined && createdAt <= erasure.at + keyCacheMs) return erasure;
  throw new AlteredContentError(`the content of ${id} cannot be decrypted, and its citizen was not erased`);
}
