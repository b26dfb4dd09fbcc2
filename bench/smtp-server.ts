import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type BenchProcess, firstMessage, startProcess } from './child.ts';

/** A relay on loopback, in a process of its own, that takes every mail and counts them. */
export type BenchSmtpServer = BenchProcess & {
  readonly port: number;
  /** Resolves with the instant (epoch ms) at which so many mails more than at `forget` had come. */
  waitForCount(count: number): Promise<number>;
  resetCount(): void;
};

type SmtpServerCommand = { readonly forget: true } | { readonly count: number };

const longestWaitMs = 120_000;

/** Starts the process of the sink: this very file. */
export async function startBenchSmtpServer(): Promise<BenchSmtpServer> {
  const child = startProcess(import.meta.filename, { args: ['sink'] });
  // `listen` below sends it.
  const { port } = (await firstMessage(child)) as { port: number };
  return {
    ...child,
    port,
    resetCount: () => child.process.send({ forget: true } satisfies SmtpServerCommand),
    waitForCount: async (count) => {
      child.process.send({ count } satisfies SmtpServerCommand);
      const killTimer = setTimeout(() => child.process.kill(), longestWaitMs);
      // `tell` below sends it.
      const { at } = (await firstMessage(child)) as { at: number };
      clearTimeout(killTimer);
      return at;
    },
  };
}

/** Relays in use take the envelope at once (RFC 2920). */
const greeting = '250-sink\r\n250-PIPELINING\r\n250 SIZE 1000000\r\n';

/** As much of RFC 5321 as a sender of mail without encryption asks for; costs a tenth of a full server's time. */
function serveSmtp(socket: Socket, onMail: () => void): void {
  let isData = false;
  let rest = '';
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.write('220 sink\r\n');
  socket.on('data', (bytes: Buffer) => {
    rest += bytes.toString('latin1');
    let replies = '';
    for (;;) {
      const end = rest.indexOf(isData ? '\r\n.\r\n' : '\r\n');
      if (end < 0) break;
      const line = isData ? '.' : rest.slice(0, 4).toUpperCase();
      rest = rest.slice(end + (isData ? 5 : 2));
      if (isData) onMail();
      isData = line === 'DATA';
      if (line === 'QUIT') return void socket.end('221 bye\r\n');
      replies += line === 'EHLO' ? greeting : isData ? '354 go on\r\n' : '250 ok\r\n';
    }
    if (replies !== '') socket.write(replies);
  });
}

function runSmtpServer(): void {
  let count = 0;
  let lastAt = 0;
  let wanted: number | undefined;
  const reportCount = () => {
    if (wanted === undefined || count < wanted) return;
    wanted = undefined;
    process.send?.({ at: lastAt });
  };
  const server = createServer((socket) =>
    serveSmtp(socket, () => {
      count += 1;
      lastAt = Date.now();
      reportCount();
    }),
  );
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 });
  });
  process.on('message', (order: SmtpServerCommand) => {
    if ('forget' in order) count = 0;
    else wanted = order.count;
    reportCount();
  });
}

if (process.argv[2] === 'sink' && process.argv[1] === join(import.meta.dirname, 'smtp-server.ts')) runSmtpServer();
