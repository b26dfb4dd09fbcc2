import { parseArgs } from 'node:util';
import { createLog } from '../src/api/log.ts';
import { openApp } from '../src/app/app-context.ts';
import { readSettings } from '../src/config/settings.ts';
import { readRootKey } from '../src/crypto/root-key-file.ts';
import { systemTimer } from '../src/jobs/timer.ts';
import { createIdGenerator } from '../src/kernel/id.ts';
import { systemClock, systemRandom } from '../src/kernel/system-clock.ts';
import { citizenAt, citizenCount } from './citizens.ts';

// This process commits events to the installation of its environment, without a sequencer that would number them. It sends
// a message to its parent when they are durable.

const batchSize = 256;

const { values } = parseArgs({
  options: { count: { type: 'string', default: '0' }, root: { type: 'string', default: '' } },
});
const app = await openApp({
  settings: readSettings(process.env),
  root: readRootKey(values.root),
  log: createLog('error'),
  clock: systemClock,
  timer: systemTimer,
  random: systemRandom,
});
const newId = createIdGenerator(systemClock, systemRandom);
for (let from = 0; from < Number(values.count); from += batchSize) {
  const events = Array.from({ length: batchSize }, (_, at) => ({
    type: 'identity.verification-read' as const,
    id: newId('event'),
    at: systemClock.now(),
    actor: { client: 'bench' },
    citizenId: citizenAt((from + at) % citizenCount).citizenId,
    verification: newId('verification'),
  }));
  await Promise.all(events.map((event) => app.commit({ events: [event], statements: [] })));
}
await app.close();
process.send?.({ done: true });
