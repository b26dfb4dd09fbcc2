import { releaseAllLeases } from '../../src/jobs/lease.ts';
import { systemTimer } from '../../src/jobs/timer.ts';
import { systemClock } from '../../src/kernel/system-clock.ts';
import { inboxAndEmailPolicy } from '../../src/notifications/cascade/cascade.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { createSmtpEmail } from '../../src/notifications/channels/smtp-email.ts';
import { startDelivery } from '../../src/notifications/delivery/start-delivery.ts';
import { unconfiguredChannels } from '../../src/notifications/notification/channel.ts';
import { engines } from '../support/database-engines.ts';
import { createNotificationApp } from '../support/notification-app.ts';

// A worker process for kill tests: `delivery-process.ts ENGINE LOCATION SMTP_URL`. Reports `done` when no job is left.
const [name, databaseLocation = '', url = ''] = process.argv.slice(2);
const engine = engines.find((candidate) => candidate.name === name);
if (engine === undefined) throw new Error('expected the name of an engine');
const db = await engine.openAt(databaseLocation);
const app = await createNotificationApp(db, systemClock, { 'cit-ada': { email: 'ada@example.org' } });
if (engine.name === 'sqlite') await app.claim(releaseAllLeases);
const worker = await startDelivery({
  ...app,
  read: db.read,
  clock: systemClock,
  timer: systemTimer,
  senderOf: async () => ({ name: 'Tax Office' }),
  calendar: app.ports.calendar,
  urgentPriority: app.ports.urgentPriority,
  cascade: inboxAndEmailPolicy,
  onFault: (fault) => process.send?.({ fault: String(fault) }),
  channels: {
    ...unconfiguredChannels,
    inbox: inboxChannel,
    email: createSmtpEmail({ url, sender: { address: 'no-reply@tax.example', messageIdHost: 'tax.example' } }),
  },
  timing: { pollMs: 50, leaseMs: 600, recoverMs: 100 },
});
const isLeft = async () => (await db.read("select id from delivery where status in ('queued', 'sending')")).length > 0;
while (await isLeft()) await worker.idle();
process.send?.({ done: true });
