import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import type { SigningKey } from '../crypto/signing-key.ts';
import type { Statement } from '../db/database.ts';
import { refuse } from '../kernel/refusal.ts';
import { type CitizenKeys, keyCacheMs } from '../ledger/citizen-keys.ts';
import { type Erasure, findErasure } from '../ledger/erase-citizen.ts';
import { type RequestTimeStamp, signEvidence } from './evidence/evidence-bundle.ts';
import { evidenceClaimsOf, legalFactsOf } from './evidence/evidence-claims.ts';
import { type Calendar, type LegalEffect, legalEffectOf } from './evidence/legal-effect.ts';
import { findLegalEffect, saveLegalEffect } from './evidence/legal-effect-store.ts';
import { type MessageContent, openMessageContent, tryOpenContent } from './notification/message-content.ts';
import type { Notification } from './notification/notification.ts';
import { type NotificationDetails, notificationParams } from './notification/notification-shape.ts';
import { findNotificationWithContent } from './notification/notification-store.ts';
import type { NotificationPorts } from './ports.ts';
import { findOwnNotification } from './read-notification.ts';

/** What evidence needs from outside, besides what all operations on notifications need. */
export type EvidencePorts = {
  /** For what was erased: whose key it was, and whether there is one now. */
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'decoyKeyOf' | 'guardedKeyOf' | 'pseudonymOf'>;
  /** The key that signs evidence now. */
  readonly evidenceKey: () => SigningKey;
  /** The public address of this server, as bundles name it. */
  readonly evidenceIssuer: string;
  /** The days that do not count for legal effect. */
  readonly calendar: Calendar;
  /** Asks for time stamps, where the operator has named an authority. */
  readonly requestTimeStamp?: RequestTimeStamp | undefined;
};

const request = { params: notificationParams };

type EvidenceCall = OperationCall<typeof request, NotificationPorts & EvidencePorts>;

/** All that happened to a notification, signed, to be kept by its sender and verified without this server. */
export const readEvidence = defineOperation({
  name: 'readEvidence',
  since: '1.0',
  method: 'GET',
  path: '/v1/notifications/{id}/evidence',
  scope: 'notifications:read',
  summary: 'The evidence of a notification, verifiable offline',
  description:
    'A JWS with the event names of ETSI EN 319 522, the digest of the content (or that it was erased, and by which event), and the legal effect where a rule was named. Verify it with `citizen-services evidence verify FILE --keys JWKS`, or with any JOSE library and /.well-known/jwks.json.',
  request,
  responses: {
    200: {
      description: 'The bundle.',
      schema: Type.Object({
        evidence: Type.String({ description: 'A compact JWS (RFC 7515).' }),
        timeStamp: Type.Optional(
          Type.String({ description: 'A JWS with a time stamp token (RFC 3161) over it, where an authority is set.' }),
        ),
      }),
      headers: { 'Content-Disposition': 'attachment, with a name for the file (RFC 6266).' },
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
      legalEffectToState(call, found),
    ]);
    const key = ports.evidenceKey();
    const issuer = { publicUrl: ports.evidenceIssuer, senderName: sender.name, key: key.publicJwk, now };
    const claims = evidenceClaimsOf({ found, content, legalEffect }, issuer);
    const head = { id: call.mint('event'), at: now, actor: { client: caller.clientId } };
    const about = { citizenId: notification.citizenId, notification: notification.id };
    return {
      effect: { events: [{ type: 'notification.status-read', ...head, ...about }], statements },
      answer: {
        status: 200,
        headers: { 'content-disposition': `attachment; filename="${notification.id}.evidence.json"` },
        json: await signEvidence(key, claims, ports.requestTimeStamp),
      },
    };
  },
});

type EffectToState = { readonly legalEffect: LegalEffect | undefined; readonly statements: readonly Statement[] };

/** The legal effect as it was stated before; one that is stated for the first time, with the statement that keeps it. */
async function legalEffectToState(
  { ports, read, now }: EvidenceCall,
  found: NotificationDetails,
): Promise<EffectToState> {
  const { id, legalEffect: rule } = found.notification;
  if (rule === null) return { legalEffect: undefined, statements: [] };
  const stated = await findLegalEffect(read, id);
  if (stated !== undefined) return { legalEffect: stated, statements: [] };
  const legalEffect = legalEffectOf(rule, legalFactsOf(found), ports.calendar, now);
  const isReached = legalEffect.effectiveAt !== undefined;
  return { legalEffect, statements: isReached ? [saveLegalEffect(id, legalEffect, now)] : [] };
}

/**
 * The content, or that it was erased. Content that does not open, of a citizen whom nobody has erased, was changed where it
 * lies: that is thrown, so that it is in the log, and no bundle is signed that hides it.
 */
async function contentOrErasure(
  call: EvidenceCall,
  { id, citizenId, createdAt }: Notification,
): Promise<MessageContent | Erasure> {
  const { citizenKeys } = call.ports;
  const found = await findNotificationWithContent(call.read, id);
  if (found === undefined) throw new TypeError('a notification without its row');
  const cached = await openMessageContent(citizenKeys, { id, citizenId }, found.content);
  if (cached !== undefined) return cached;
  // The key at hand may be that from before an erasure, after which the citizen came anew.
  const storedKey = await citizenKeys.guardedKeyOf(citizenId);
  const content = storedKey === undefined ? undefined : tryOpenContent(storedKey.key, id, found.content);
  if (content !== undefined) return content;
  const erasure = await findErasure(call.read, citizenKeys.pseudonymOf(citizenId));
  // Another process may have sealed under the old key for as long as it had it at hand.
  if (erasure !== undefined && createdAt <= erasure.at + keyCacheMs) return erasure;
  throw new Error(`the content of ${id} does not open, and its citizen was not erased: it was changed where it lies`);
}
