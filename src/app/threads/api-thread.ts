import { parentPort, workerData } from 'node:worker_threads';
import { createLog } from '../../api/log.ts';
import type { PageResponse, PageRoute } from '../../api/page-route.ts';
import { readSettings } from '../../config/settings.ts';
import { readRootKey } from '../../crypto/root-key-file.ts';
import { systemTimer } from '../../jobs/timer.ts';
import { systemClock, systemRandom } from '../../kernel/system-clock.ts';
import { joinApp } from '../app-context.ts';
import { modeSettings } from '../mode-settings.ts';
import { serve } from '../serve.ts';
import {
  createPendingRequests,
  createWakeNotifications,
  type FromThread,
  type ThreadOptions,
  type ToThread,
} from './thread-messages.ts';

// The program of a thread that answers requests beside the first thread of its process: the role `api`, with its own database
// connections. It holds no state. It requests from the first thread what only that one has in memory.

const logFlushMs = 100;

class FirstThreadFailed extends Error {
  override name = 'FirstThreadFailed';
}

/** Sends log lines to the first thread, which writes the log of all threads: two writers of one pipe could mix their lines. */
function createLineSender(send: (message: FromThread) => void) {
  let lines = '';
  const flush = () => {
    if (lines !== '') send({ is: 'lines', text: lines });
    lines = '';
  };
  setInterval(flush, logFlushMs).unref();
  return {
    flush,
    write: (line: string) => {
      lines += line;
    },
  };
}

async function runThread(port: NonNullable<typeof parentPort>, threadOptions: ThreadOptions): Promise<void> {
  const { environment, isDemo, publicUrl, apiThreads, cascade } = threadOptions;
  const send = (message: FromThread) => port.postMessage(message);
  const settings = { ...modeSettings(readSettings(environment), isDemo), port: threadOptions.port, publicUrl };
  const root = readRootKey(threadOptions.rootKeyPath);
  const lines = createLineSender(send);
  const log = createLog(settings.logLevel, { write: lines.write });
  const app = await joinApp(
    { settings, root, log, clock: systemClock, timer: systemTimer, random: systemRandom },
    threadOptions.database,
  );
  const pageRequests = createPendingRequests<PageResponse | undefined>();
  const pages = threadOptions.pages.map(
    (path): PageRoute => ({
      path,
      get: async (params, query) => {
        const response = await pageRequests.request((requestId) =>
          send({ is: 'page-request', requestId, path, params, query: query.toString() }),
        );
        if (response === undefined) throw new FirstThreadFailed(`The first thread could not answer ${path}.`);
        return response;
      },
    }),
  );
  const wakeJob = createWakeNotifications(send);
  const mode = { roles: new Set(['api'] as const), isDemo, isHelper: true, apiThreads, cascade, pages };
  const server = await serve(app, { ...mode, wakeJob });
  const stop = async () => {
    // A fault of the stop is in the log.
    await server.stop().catch(() => undefined);
    lines.flush();
    send({ is: 'stopped' });
    port.close();
  };
  port.on('message', (message: ToThread) => {
    switch (message.is) {
      case 'page':
        pageRequests.resolve(message.requestId, message.response);
        break;
      case 'snapshot-request': {
        const { requestId } = message;
        void server.snapshot().then((snapshot) => send({ is: 'snapshot', requestId, snapshot }));
        break;
      }
      case 'stop':
        void stop();
    }
  });
  send({ is: 'ready' });
}

if (parentPort !== null) {
  const port = parentPort;
  // Only `thread-pool.ts` starts this file.
  runThread(port, workerData as ThreadOptions).catch((fault: unknown) => {
    const message = fault instanceof Error ? fault.message : 'a value that is no Error was thrown';
    port.postMessage({ is: 'failed', message } satisfies FromThread);
    port.close();
  });
}
