import { Type } from 'typebox';
import { type Call, defineOperation } from '../../api/operation.ts';
import { refuse } from '../../kernel/problem.ts';
import type { SigningKey } from '../../keys/signing-key.ts';
import { type CitizenKeys, cachedForMs } from '../../ledger/citizen-keys.ts';
import { type Erasure, findErasure } from '../../ledger/erase-citizen.ts';
import type { Statement } from '../../store/db.ts';
import type { Notification } from '../notification.ts';
import { type NotificationRecord, notificationParams } from '../notification-shape.ts';
import { findWithContent } from '../notification-store.ts';
import type { NotificationPorts } from '../ports.ts';
import { findOwn } from '../read-notification.ts';
import { type Content, openContentOf, openOrNone } from '../sealed-content.ts';
import { evidenceOf, legalFactsOf } from './evidence.ts';
import { type Stamp, signEvidence } from './evidence-bundle.ts';
import { type Calendar, type LegalEffect, legalEffectOf } from './legal-effect.ts';
import { findStatedEffect, keepStatedEffect } from './stated-effect-store.ts';

/** What evidence needs from outside, besides what all operations on notifications need. */
export type EvidencePorts = {
  /** For what was erased: whose key it was, and whether there is one now. */
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'strangerKeyOf' | 'standingKeyOf' | 'pseudonymOf'>;
  /** The key that signs evidence now. */
  readonly evidenceKey: () => SigningKey;
  /** The public address of this server, as bundles name it. */
  readonly evidenceIssuer: string;
  /** The days that do not count for legal effect. */
  readonly calendar: Calendar;
  /** Asks for time stamps, where the operator has named an authority. */
  readonly stamp?: Stamp | undefined;
};

const request = { params: notificationParams };

type EvidenceCall = Call<typeof request, NotificationPorts & EvidencePorts>;

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
    const found = await findOwn(call.read, call.params.id, caller.clientId);
    if (found === undefined) return { refusal: refuse('notification-not-found') };
    const { notification } = found;
    const [content, sender, { legalEffect, statements }] = await Promise.all([
      contentOf(call, notification),
      ports.senderOf(caller.clientId),
      effectOf(call, found),
    ]);
    const key = ports.evidenceKey();
    const issuer = { publicUrl: ports.evidenceIssuer, senderName: sender.name, key: key.publicJwk, now };
    const claims = evidenceOf({ found, content, legalEffect }, issuer);
    const head = { id: call.mint('event'), at: now, actor: { client: caller.clientId } };
    const about = { citizenId: notification.citizenId, notification: notification.id };
    return {
      effect: { events: [{ type: 'notification.status-read', ...head, ...about }], statements },
      answer: {
        status: 200,
        headers: { 'content-disposition': `attachment; filename="${notification.id}.evidence.json"` },
        json: await signEvidence(key, claims, ports.stamp),
      },
    };
  },
});

type Effects = { readonly legalEffect: LegalEffect | undefined; readonly statements: readonly Statement[] };

/** The legal effect as it was stated before; one that is stated for the first time, with the statement that keeps it. */
async function effectOf({ ports, read, now }: EvidenceCall, found: NotificationRecord): Promise<Effects> {
  const { id, legalEffect: rule } = found.notification;
  if (rule === null) return { legalEffect: undefined, statements: [] };
  const stated = await findStatedEffect(read, id);
  if (stated !== undefined) return { legalEffect: stated, statements: [] };
  const legalEffect = legalEffectOf(rule, legalFactsOf(found), ports.calendar, now);
  const isReached = legalEffect.effectiveAt !== undefined;
  return { legalEffect, statements: isReached ? [keepStatedEffect(id, legalEffect, now)] : [] };
}

/**
 * The content, or that it was erased. Content that does not open, of a citizen whom nobody has erased, was changed where it
 * lies: that is thrown, so that it is in the log, and no bundle is signed that hides it.
 */
async function contentOf(call: EvidenceCall, { id, citizenId, createdAt }: Notification): Promise<Content | Erasure> {
  const { citizenKeys } = call.ports;
  const found = await findWithContent(call.read, id);
  if (found === undefined) throw new TypeError('a notification without its row');
  const cached = await openContentOf(citizenKeys, { id, citizenId }, found.content);
  if (cached !== undefined) return cached;
  // The key at hand may be that from before an erasure, after which the citizen came anew.
  const standing = await citizenKeys.standingKeyOf(citizenId);
  const content = standing === undefined ? undefined : openOrNone(standing.key, id, found.content);
  if (content !== undefined) return content;
  const erasure = await findErasure(call.read, citizenKeys.pseudonymOf(citizenId));
  // Another process may have sealed under the old key for as long as it had it at hand.
  if (erasure !== undefined && createdAt <= erasure.at + cachedForMs) return erasure;
  throw new Error(`the content of ${id} does not open, and its citizen was not erased: it was changed where it lies`);
}
