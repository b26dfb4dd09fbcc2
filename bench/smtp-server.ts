import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type BenchProcess, firstMessage, startProcess } from './child.ts';

/** An SMTP server on loopback in its own process. It accepts and counts every mail. */
export type BenchSmtpServer = BenchProcess & {
  readonly port: number;
  /** Resolves with the time (epoch ms) of the mail that made the count since `resetCount` reach this number. */
  waitForCount(count: number): Promise<number>;
  resetCount(): void;
  /** Resolves when the next mail to this address has arrived. One call at a time. */
  waitForMail(recipient: string): Promise<unknown>;
};

type SmtpServerCommand = { readonly reset: true } | { readonly count: number } | { readonly recipient: string };

const longestWaitMs = 120_000;

/** Starts the process of the SMTP server, which runs this file. */
export async function startBenchSmtpServer(): Promise<BenchSmtpServer> {
  const child = startProcess(import.meta.filename, { args: ['serve'] });
  // Sent by `runSmtpServer`.
  const { port } = (await firstMessage(child)) as { port: number };
  const timeOf = async (command: SmtpServerCommand) => {
    child.process.send(command);
    const killTimer = setTimeout(() => child.process.kill(), longestWaitMs);
    // Sent by `runSmtpServer`.
    const { at } = (await firstMessage(child)) as { at: number };
    clearTimeout(killTimer);
    return at;
  };
  return {
    ...child,
    port,
    resetCount: () => child.process.send({ reset: true } satisfies SmtpServerCommand),
    waitForCount: (count) => timeOf({ count }),
    waitForMail: (recipient) => timeOf({ recipient }),
  };
}

/** Common relays support pipelining of the envelope (RFC 2920). */
const greeting = '250-sink\r\n250-PIPELINING\r\n250 SIZE 1000000\r\n';

/** The part of RFC 5321 that a sender without TLS needs. It uses a tenth of the CPU time of a full server. */
function serveSmtp(socket: Socket, onMail: (recipient: string) => void): void {
  let isData = false;
  let recipient = '';
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
      if (line === 'RCPT') recipient = rest.slice(rest.indexOf('<') + 1, rest.indexOf('>'));
      rest = rest.slice(end + (isData ? 5 : 2));
      if (isData) onMail(recipient);
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
  let wantedRecipient: string | undefined;
  const reportCount = () => {
    if (wanted === undefined || count < wanted) return;
    wanted = undefined;
    process.send?.({ at: lastAt });
  };
  const server = createServer((socket) =>
    serveSmtp(socket, (recipient) => {
      count += 1;
      lastAt = Date.now();
      if (recipient === wantedRecipient) process.send?.({ at: lastAt });
      reportCount();
    }),
  );
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 });
  });
  process.on('message', (command: SmtpServerCommand) => {
    if ('recipient' in command) wantedRecipient = command.recipient;
    else if ('reset' in command) count = 0;
    else wanted = command.count;
    reportCount();
  });
}

if (process.argv[2] === 'serve' && process.argv[1] === join(import.meta.dirname, 'smtp-server.ts')) runSmtpServer();
