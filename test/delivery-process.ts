import { endLeases } from '../src/jobs/lease.ts';
import { systemTimer } from '../src/jobs/timer.ts';
import { systemClock } from '../src/kernel/system-clock.ts';
import { absentChannels } from '../src/notifications/channels/channel.ts';
import { inboxChannel } from '../src/notifications/channels/inbox.ts';
import { createSmtpEmail } from '../src/notifications/channels/smtp-email.ts';
import { inboxAndEmail } from '../src/notifications/delivery/cascade.ts';
import { startDelivery } from '../src/notifications/delivery/start-delivery.ts';
import { engines } from './engines.ts';
import { createNotificationHouse } from './notification-house.ts';

// A worker process to be killed: `delivery-process.ts ENGINE PLACE SMTP_URL`. Says `done` when nothing is left to do.
const [name, place = '', url = ''] = process.argv.slice(2);
const engine = engines.find((candidate) => candidate.name === name);
if (engine === undefined) throw new Error('expected the name of an engine');
const db = await engine.openAt(place);
const house = await createNotificationHouse(db, systemClock, { 'cit-ada': { email: 'ada@example.org' } });
if (engine.name === 'sqlite') await house.claim(endLeases);
const delivering = await startDelivery({
  ...house,
  read: db.read,
  clock: systemClock,
  timer: systemTimer,
  senderOf: async () => ({ name: 'Tax Office' }),
  cascade: inboxAndEmail,
  onFault: (fault) => process.send?.({ fault: String(fault) }),
  channels: {
    ...absentChannels,
    inbox: inboxChannel,
    email: createSmtpEmail({ url, sender: { address: 'no-reply@tax.example', messageIdHost: 'tax.example' } }),
  },
  timing: { pollMs: 50, leaseMs: 600, recoverMs: 100 },
});
const isLeft = async () => (await db.read("select id from delivery where status in ('queued', 'sending')")).length > 0;
while (await isLeft()) await delivering.idle();
process.send?.({ done: true });
