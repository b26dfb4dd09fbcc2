import type { DeliveryId, DocumentId, EventId, NotificationId, VerificationId } from '../kernel/id.ts';

/** Who used a citizen's data: a client of the API, the citizen, an operator at the command line, or the server itself. */
export type Actor =
  | { readonly client: string }
  | { readonly citizen: true }
  | { readonly operator: string }
  | { readonly process: 'delivery' | 'start' | 'demo' };

/** Why a use was lawful, as the caller stated it. */
export type Ground = {
  readonly purpose?: string | undefined;
  readonly legalBasis?: string | undefined;
  readonly consentReference?: string | undefined;
};

type Head<T extends string> = { readonly type: T; readonly id: EventId; readonly at: number; readonly actor: Actor };

/** An event about one citizen: its content is sealed under that citizen's key. */
export type CitizenEvent =
  | (Head<'identity.verified'> &
      Ground & {
        readonly citizenId: string;
        readonly verification: VerificationId;
        readonly decision: 'match' | 'no_match' | 'not_determined';
        readonly policy: string;
        readonly claimsAsked: readonly string[];
      })
  | (Head<'identity.verification-read'> & { readonly citizenId: string; readonly verification: VerificationId })
  | (Head<'notification.accepted'> & Ground & { readonly citizenId: string; readonly notification: NotificationId })
  | (Head<'notification.rehearsed'> & { readonly citizenId: string })
  | (Head<'notification.status-read'> & { readonly citizenId: string; readonly notification: NotificationId })
  | (Head<'notification.opened'> & { readonly citizenId: string; readonly notification: NotificationId })
  | (Head<'notification.cancelled'> & { readonly citizenId: string; readonly notification: NotificationId })
  | (Head<'notification.undeliverable'> & {
      readonly citizenId: string;
      readonly notification: NotificationId;
      readonly reason: string;
    })
  | (Head<'notification.delivery-ended'> & {
      readonly citizenId: string;
      readonly notification: NotificationId;
      readonly delivery: DeliveryId;
      readonly channel: string;
      readonly outcome: 'sent' | 'delivered' | 'failed' | 'unknown' | 'skipped' | 'retry';
      readonly reason?: string | undefined;
    })
  | (Head<'document.deposited'> & Ground & { readonly citizenId: string; readonly document: DocumentId })
  | (Head<'document.retrieved'> & Ground & { readonly citizenId: string; readonly document: DocumentId })
  | (Head<'document.record-read'> & Ground & { readonly citizenId: string; readonly document: DocumentId })
  | (Head<'document.listed'> & Ground & { readonly citizenId: string; readonly documents: readonly DocumentId[] })
  | (Head<'document.refused'> & {
      readonly citizenId: string;
      readonly document: DocumentId;
      readonly reason: 'not-permitted' | 'not-available';
    });

/** An event about no single citizen: its content is clear and holds no personal data. */
export type HouseEvent =
  | (Head<'identity.searched'> & {
      readonly verification: VerificationId;
      readonly decision: 'match' | 'no_match' | 'not_determined';
      readonly policy: string;
      readonly claimsAsked: readonly string[];
    })
  | (Head<'identity.search-read'> & { readonly verification: VerificationId })
  | (Head<'register.imported'> & {
      readonly import: string;
      readonly rows: number;
      readonly refused: number;
      readonly finished: boolean;
    })
  | (Head<'notifications.listed'> & { readonly shown: number })
  | (Head<'client.created'> & { readonly clientId: string; readonly scopes: readonly string[] })
  | (Head<'client.disabled'> & { readonly clientId: string })
  | (Head<'endpoint.registered'> & { readonly endpoint: string; readonly since: string; readonly schemaHash: string });

/** The closed union of what the ledger can say. A new kind of use starts here. */
export type LedgerEvent = CitizenEvent | HouseEvent;

/** True for an event whose content is sealed under a citizen's key. */
export function isCitizenEvent(event: LedgerEvent): event is CitizenEvent {
  return 'citizenId' in event;
}
