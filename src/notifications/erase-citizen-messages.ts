import type { Statement } from '../db/database.ts';
import type { CitizenErasure } from '../ledger/erase-citizen.ts';
import { deleteContactCodes } from './contact/contact-code-store.ts';
import { deletePreferences } from './contact/contact-preferences-store.ts';
import { deleteInboxMarks } from './inbox/inbox-mark-store.ts';

/** Events of the feed have the id of their ledger event, which has the pseudonym of the citizen. */
const feedEventsOfChain =
  'id in (select event_id from ledger_entry where chain = $1 union all select id from ledger_event where citizen_tag = $1)';

/**
 * Removes from messages what names or describes an erased citizen, and deletes the addresses. The rows stay for their senders,
 * with status and times. Put them before the statements that clear the ids of waiting ledger events.
 */
export function eraseMessagesStatements({ citizenId, erasedId, chain }: CitizenErasure): Statement[] {
  return [
    {
      // A higher revision makes a concurrent delivery read the row again, with its new citizen id.
      sql: `update notification set citizen_id = $2, reference = null, content = $3, revision = revision + 1
        where citizen_id in ($1, $2)`,
      args: [citizenId, erasedId, new Uint8Array()],
    },
    {
      // A provider may put anything into these: its reports on the attempt, and the id that it gave to the message.
      sql: `update delivery set provider_ref = null, early_report = null
        where notification_id in (select id from notification where citizen_id = $1)`,
      args: [erasedId],
    },
    {
      sql: `update feed_event set data = json_set(data, '$.reference', null) where ${feedEventsOfChain}`,
      postgresSql: `update feed_event set data = cast(jsonb_set(cast(data as jsonb), '{reference}', 'null') as text)
        where ${feedEventsOfChain}`,
      args: [chain],
    },
    deleteInboxMarks(erasedId),
    deleteContactCodes(citizenId),
    deletePreferences(citizenId),
  ];
}
