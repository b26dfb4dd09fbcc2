import { parentPort, workerData } from 'node:worker_threads';
import type { PageResponse, PageRoute } from '../../api/api-server.ts';
import { createLog } from '../../api/log.ts';
import type { MetricsSnapshot } from '../../api/metrics.ts';
import { readSettings } from '../../config/settings.ts';
import { readRootKey } from '../../crypto/root-key-file.ts';
import { systemTimer } from '../../jobs/timer.ts';
import { systemClock, systemRandom } from '../../kernel/system-clock.ts';
import { joinApp } from '../app-context.ts';
import { modeSettings } from '../mode-settings.ts';
import { serve } from '../serve.ts';
import type { FromThread, ThreadOptions, ToThread } from './thread-messages.ts';
import { createWakeNotifications } from './wake-notifications.ts';

// A thread that helps the first one of its process to answer calls: the role `api`, with connections of its own to the
// database. It holds no state; what the first one has in memory alone it asks for.

/** As often log lines go to the first thread, which writes those of all: two writers of one pipe cut each other's lines. */
const logFlushMs = 100;

function openMessageChannel(port: NonNullable<typeof parentPort>) {
  const send = (message: FromThread) => port.postMessage(message);
  let lines = '';
  const flush = () => {
    if (lines === '') return;
    send({ is: 'lines', text: lines });
    lines = '';
  };
  const writing = setInterval(flush, logFlushMs);
  writing.unref();
  return {
    tell: send,
    write: (line: string) => {
      lines += line;
    },
    end: (snapshot: MetricsSnapshot) => {
      clearInterval(writing);
      flush();
      send({ is: 'stopped', snapshot });
      port.close();
    },
  };
}

/** Pages that the first thread answers. */
function createForwardedPages(paths: readonly string[], send: (message: FromThread) => void) {
  const waiting = new Map<number, (answer: PageResponse | undefined) => void>();
  let lastRequestId = 0;
  const pages = paths.map(
    (path): PageRoute => ({
      path,
      get: async (params, query) => {
        const requestId = ++lastRequestId;
        const { promise, resolve } = Promise.withResolvers<PageResponse | undefined>();
        waiting.set(requestId, resolve);
        send({ is: 'page-wanted', requestId, path, params, query: query.toString() });
        const answer = await promise;
        if (answer === undefined) throw new Error(`the first thread could not answer ${path}`);
        return answer;
      },
    }),
  );
  const answered = (requestId: number, answer: PageResponse | undefined) => {
    waiting.get(requestId)?.(answer);
    waiting.delete(requestId);
  };
  return { pages, answered };
}

async function runThread(port: NonNullable<typeof parentPort>, threadOptions: ThreadOptions): Promise<void> {
  const { environment, isDemo, publicUrl } = threadOptions;
  const { tell: send, write, end } = openMessageChannel(port);
  const settings = { ...modeSettings(readSettings(environment), isDemo), port: threadOptions.port, publicUrl };
  const root = readRootKey(threadOptions.rootKeyPath);
  const log = createLog(settings.logLevel, { write });
  const app = await joinApp(
    { settings, root, log, clock: systemClock, timer: systemTimer, random: systemRandom },
    threadOptions.database,
  );
  const forwarded = createForwardedPages(threadOptions.pages, send);
  const running = await serve(app, {
    ...{
      roles: new Set(['api']),
      isDemo,
      isHelper: true,
      seat: threadOptions.seat,
      wakeJob: createWakeNotifications(send),
    },
    ...{ cascade: threadOptions.cascade, pages: forwarded.pages },
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
        forwarded.answered(message.requestId, message.answer);
        break;
      case 'leave':
        void running.drain().then(stop);
        break;
      case 'stop':
        void stop();
        break;
      case 'count': {
        const { requestId } = message;
        void running.snapshot().then((snapshot) => send({ is: 'counted', requestId, snapshot }));
      }
    }
  });
  send({ is: 'ready' });
}

if (parentPort !== null) {
  const port = parentPort;
  // Only `api-threads.ts` starts this file.
  runThread(port, workerData as ThreadOptions).catch((fault: unknown) => {
    const message = fault instanceof Error ? fault.message : 'something that is no error was thrown';
    port.postMessage({ is: 'failed', message } satisfies FromThread);
    port.close();
  });
}
