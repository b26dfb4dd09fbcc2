import { parentPort, workerData } from 'node:worker_threads';
import { createLog } from './api/log.ts';
import type { Snapshot } from './api/metrics.ts';
import type { Page, PageAnswer } from './api/server.ts';
import { joinHouse } from './compose.ts';
import { readSettings } from './config/settings.ts';
import { systemTimer } from './jobs/timer.ts';
import { systemClock, systemRandom } from './kernel/system-clock.ts';
import { readRootKey } from './keys/root-key-file.ts';
import { settingsOf } from './run-mode.ts';
import { serve } from './serve.ts';
import type { FromThread, ThreadOrder, ToThread } from './thread-messages.ts';
import { createWakes } from './thread-wakes.ts';

// A thread that helps the first one of its process to answer calls: the role `api`, with connections of its own to the
// database. It holds no state; what the first one has in memory alone it asks for.

/** As often log lines go to the first thread, which writes those of all: two writers of one pipe cut each other's lines. */
const linesEveryMs = 100;

function openChannel(port: NonNullable<typeof parentPort>) {
  const tell = (message: FromThread) => port.postMessage(message);
  let lines = '';
  const flush = () => {
    if (lines === '') return;
    tell({ is: 'lines', text: lines });
    lines = '';
  };
  const writing = setInterval(flush, linesEveryMs);
  writing.unref();
  return {
    tell,
    write: (line: string) => {
      lines += line;
    },
    end: (snapshot: Snapshot) => {
      clearInterval(writing);
      flush();
      tell({ is: 'stopped', snapshot });
      port.close();
    },
  };
}

/** Pages that the first thread answers. */
function createRemotePages(paths: readonly string[], tell: (message: FromThread) => void) {
  const waiting = new Map<number, (answer: PageAnswer | undefined) => void>();
  let questions = 0;
  const pages = paths.map(
    (path): Page => ({
      path,
      get: async (params, query) => {
        const question = ++questions;
        const { promise, resolve } = Promise.withResolvers<PageAnswer | undefined>();
        waiting.set(question, resolve);
        tell({ is: 'page-wanted', question, path, params, query: query.toString() });
        const answer = await promise;
        if (answer === undefined) throw new Error(`the first thread could not answer ${path}`);
        return answer;
      },
    }),
  );
  const answered = (question: number, answer: PageAnswer | undefined) => {
    waiting.get(question)?.(answer);
    waiting.delete(question);
  };
  return { pages, answered };
}

async function run(port: NonNullable<typeof parentPort>, order: ThreadOrder): Promise<void> {
  const { environment, isDemo, publicUrl } = order;
  const { tell, write, end } = openChannel(port);
  const settings = { ...settingsOf(readSettings(environment), isDemo), port: order.port, publicUrl };
  const root = readRootKey(order.rootKeyPath);
  const log = createLog(settings.logLevel, { write });
  const house = await joinHouse(
    { settings, root, log, clock: systemClock, timer: systemTimer, random: systemRandom },
    order.database,
  );
  const remote = createRemotePages(order.pages, tell);
  const running = await serve(house, {
    ...{ roles: new Set(['api']), isDemo, isHelper: true, seat: order.seat, wakes: createWakes(tell) },
    ...{ cascade: order.cascade, pages: remote.pages },
  });
  let isStopping = false;
  const stop = async () => {
    // It may be told to stop while it leaves.
    if (isStopping) return;
    isStopping = true;
    // What could not be stopped well was told in the log.
    await running.stop().catch(() => undefined);
    // Counted last, since a fault of its own end counts too.
    end(await running.snapshot());
  };
  port.on('message', (message: ToThread) => {
    switch (message.is) {
      case 'page':
        remote.answered(message.question, message.answer);
        break;
      case 'leave':
        void running.leave().then(stop);
        break;
      case 'stop':
        void stop();
        break;
      case 'count': {
        const { question } = message;
        void running.snapshot().then((snapshot) => tell({ is: 'counted', question, snapshot }));
      }
    }
  });
  tell({ is: 'ready' });
}

if (parentPort !== null) {
  const port = parentPort;
  // Only `api-threads.ts` starts this file.
  run(port, workerData as ThreadOrder).catch((fault: unknown) => {
    const message = fault instanceof Error ? fault.message : 'something that is no error was thrown';
    port.postMessage({ is: 'failed', message } satisfies FromThread);
    port.close();
  });
}
