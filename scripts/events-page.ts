import type { CitizenEvent, SystemEvent } from '../src/ledger/ledger-event.ts';
import type { feedEventTypes } from '../src/notifications/webhooks/feed-store.ts';

/** Each event of the feed and of webhooks. A missing type does not compile. */
const feedEvents: Readonly<Record<(typeof feedEventTypes)[number], string>> = {
  'notification.delivery-ended':
    'A delivery attempt of one channel ended. `channel`, `outcome` and `reason` describe it.',
  'notification.opened': 'The citizen opened the message.',
  'notification.confirmed': 'Somebody confirmed the receipt by the link in a mail. The message may be unopened.',
  'notification.sent': 'The deadline passed. The message was sent, and there is no proof of delivery.',
  'notification.unknown': 'The deadline passed. The message may have arrived.',
  'notification.undeliverable': 'Every channel failed.',
  'notification.cancelled': 'Your client cancelled the notification.',
  'notification-batch.done':
    'Every row of a batch has an outcome. `batch` is its id; `rows`, `accepted` and `refused` are its counts.',
  'notification-batch.refused': 'The file of a batch was refused, and no row was sent. `code` says why.',
  'notification-batch.cancelled': 'A batch was cancelled. `code` says why, if the server did it.',
  'identity.presentation-fetched': 'A wallet fetched the request of your presentation.',
  'identity.presentation-answered': 'The wallet answered. Complete the presentation with the code of the session.',
  'identity.presentation-completed': 'The presentation has a result.',
  'identity.presentation-refused': 'The wallet sent an error, for example because the citizen declined.',
  'identity.presentation-failed': 'The answer of the wallet was not accepted.',
  'identity.presentation-expired': 'The time of the presentation is over.',
  'identity.presentation-cancelled': 'You or the citizen cancelled the presentation.',
};

/** Each ledger event about one citizen. */
const citizenEvents: Readonly<Record<CitizenEvent['type'], string>> = {
  'identity.verified': 'A client verified claims about the citizen.',
  'identity.verification-read': 'A client read the stored result of a verification.',
  'identity.guesses-spent': 'The verification limit of the citizen was reached.',
  'identity.lock-changed': 'An operator locked or unlocked the record.',
  'identity.record-read': 'The citizen read their own record.',
  'own-lock.set': 'The citizen locked their record.',
  'wallet-link.kept': 'With their consent, the number in the wallet of the citizen was linked to their record.',
  'wallet-link.removed': 'The citizen removed the link to their wallet.',
  'own-lock.lifted': 'The citizen lock was removed, by the citizen or with a reason by an operator.',
  'notification.rehearsed': 'A client previewed a notification.',
  'notification.accepted': 'A client sent a notification. `contentDigest` is the digest of its content.',
  'notification.status-read': 'A client read the status of a notification.',
  'notification.opened': 'The citizen opened a message.',
  'notification.confirmed': 'Somebody who was not signed in confirmed the receipt of a message by a link.',
  'notification.content-read': 'A caseworker of the service that sent the message read its text, with the reason.',
  'notification.letter-requested': 'Staff asked to send the message by letter too.',
  'staff.looked-up': 'Staff looked up the messages of the citizen. The staff log names the person.',
  'notification.cancelled': 'A client cancelled a notification.',
  'notification.delivery-ended': 'A delivery attempt ended, with channel, outcome and reason.',
  'notification.sent': 'The deadline passed without a proof of delivery.',
  'notification.unknown': 'The deadline passed, and the message may have arrived.',
  'notification.undeliverable': 'Every channel failed.',
  'inbox.listed': 'The inbox was listed.',
  'inbox.searched': 'The inbox was searched. The words of the search are not stored.',
  'inbox.exported': 'A page of the inbox was downloaded, with the texts of the opened messages.',
  'inbox.archived': 'The citizen moved a message to the archive.',
  'inbox.restored': 'The citizen moved a message back to the inbox.',
  'inbox.marked-unread': 'The citizen marked a message as unread.',
  'contact-wishes.stated': 'The contact preferences changed.',
  'contact-wishes.read': 'The contact preferences were read.',
  'contact-address.asked': 'A code was sent to verify an address.',
  'contact-address.confirmed': 'An address was verified by its code.',
  'contact-address.code-wrong': 'A wrong code was entered.',
  'contact-address.code-unused': 'A code expired.',
  'contact-address.removed': 'A verified address was removed.',
  'document.deposited': 'A client deposited a document. `digest` is that of its bytes.',
  'document.retrieved': 'The content of a document was retrieved.',
  'document.record-read': 'The description of a document was read.',
  'document.listed': 'Documents of the citizen were listed.',
  'document.refused': 'A retrieval was refused.',
  'document.unknown': 'A client requested a document id that does not exist.',
  'document.scanned': 'The malware scan of a document ended, with its verdict.',
  'document.withdrawn': 'A document was withdrawn by its issuer.',
  'document.erased': 'A document was erased, with the rule that demanded it.',
  'document.granted': 'Another client got access to a document.',
  'document.grant-ended': 'The access of another client ended.',
  'document.hold-placed': 'A legal hold was placed, with its reason.',
  'document.hold-released': 'A legal hold was released.',
  'access-log.read': 'The access log was read.',
};

/** Each ledger event about no single citizen. */
const systemEvents: Readonly<Record<SystemEvent['type'], string>> = {
  'identity.searched': 'A client verified claims without an id.',
  'identity.search-read': 'A client read the stored result of such a verification.',
  'identity.presentation-asked': 'A client asked the wallet of a citizen for a credential.',
  'identity.presentation-fetched': 'A wallet fetched the request.',
  'identity.presentation-answered': 'A wallet answered, and the result waits for the code of the session.',
  'identity.presentation-completed': 'The presented attributes were compared with the register.',
  'identity.presentation-refused': 'The wallet sent an error, for example because the citizen declined.',
  'identity.presentation-failed': 'The answer of the wallet was not accepted, with the reason.',
  'identity.presentation-expired':
    'The wallet did not answer in time, or the service did not confirm its session in time.',
  'identity.presentation-cancelled': 'The client or the citizen cancelled the request.',
  'register.imported': 'Citizens were imported.',
  'register.counted': 'The frequencies of names in the register were counted.',
  'policy.added': 'A matching policy was added.',
  'notifications.listed': 'A client listed its notifications.',
  'documents.listed': 'A client listed the documents that it deposited.',
  'client.created': 'A client was created.',
  'client.changed': 'A client was changed. The names of the changed members are listed.',
  'client.bound': 'The token binding of a client changed.',
  'client.disabled': 'A client was disabled.',
  'client.webhook-hosts-set': 'The permitted webhook hosts of a client changed.',
  'retention-class.set': 'A retention class was created or changed.',
  'documents.deletion-run': 'The hourly deletion of due documents ended.',
  'signing-key.replaced': 'A signing key was replaced.',
  'root-key.rotated': 'A stage of a root key rotation ended.',
  'citizen.erased': 'A citizen was erased. The citizen is named by pseudonym only.',
  'webhook.changed': 'A webhook was created, removed or changed.',
  'template.changed': 'A template was created or removed.',
  'notification-batch.changed': 'A batch of notifications got another state, or its uploaded file was deleted.',
  'channel.changed': 'Staff paused a delivery channel, or ended the pause.',
  'staff.searched': 'Staff searched for a citizen and found nobody.',
  'staff.log-read': 'Staff read the staff log.',
  'staff.proposed':
    'Staff proposed an operation that another person must approve. Without a proposal: it was not possible.',
  'staff.decided': 'Another person approved or refused a proposal. The entry names both.',
  'endpoint.registered': 'An endpoint was added to the register.',
};

function table(events: Readonly<Record<string, string>>): string {
  const rows = Object.entries(events).map(([type, meaning]) => `| \`${type}\` | ${meaning} |`);
  return `| type | meaning |\n|---|---|\n${rows.join('\n')}\n`;
}

/** The page docs/reference/events.md. */
export function eventsPage(): string {
  return `# Events

This page lists the events that clients receive, and the events in the ledger. Ignore types that you do not know: later versions add
types. Written by \`npm run generate\`.

## Feed and webhooks

[Webhooks and the event feed](../integrate/webhooks.md) describes how you receive these events.

${table(feedEvents)}
## Ledger: events about a citizen

The content is encrypted under the key of the citizen, who can read it in the access log. Each has \`type\`, \`id\`, \`at\`, \`actor\` and
\`citizenId\`. A client states \`purpose\`, \`legalBasis\` and \`consentReference\` with a request. \`src/ledger/ledger-event.ts\` has all members.

${table(citizenEvents)}
## Ledger: events about the system

The content has no personal data. It is encrypted under the system key.

${table(systemEvents)}`;
}
