import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import type { CleanupScope } from './server-process.ts';

/** A mail that was received in full, whatever the reply was. */
export type ReceivedMail = { readonly messageId: string; readonly to: readonly string[]; readonly raw: string };

/**
 * The reaction to a mail: accept it; reject sender, recipient or message with a reply; disconnect without a reply, at the
 * recipient or after the message; or never reply.
 */
export type SmtpBehaviour =
  | 'accept'
  | { readonly refuse: 'sender' | 'recipient' | 'message'; readonly code: number; readonly text: string }
  | 'drop-at-recipient'
  | 'drop-after-data'
  | 'silent-after-data';

/** A real SMTP server on loopback with settable behaviour, which stores the received mails. */
export type TestSmtpServer = {
  readonly port: number;
  readonly url: string;
  /** All mails that were received in full, in order. */
  readonly mails: readonly ReceivedMail[];
  readonly sessions: number;
  /** Sets the behaviour by recipient and by the number of earlier mails to it. */
  setBehaviour(choose: (to: string, before: number) => SmtpBehaviour): void;
  /** Resolves when this number of mails was received. */
  waitForMails(count: number): Promise<void>;
  /** Closes all open sessions, as a relay does with idle ones. */
  closeSessions(): void;
};

/** Starts a server that accepts every mail by default. It stops with the test. */
export async function startTestSmtpServer(t: CleanupScope): Promise<TestSmtpServer> {
  const mails: ReceivedMail[] = [];
  const mailsPerRecipient = new Map<string, number>();
  const waiters: Array<{ readonly count: number; readonly resolve: () => void }> = [];
  let choose: (to: string, before: number) => SmtpBehaviour = () => 'accept';
  let sessions = 0;
  const chosen = new WeakMap<SMTPServerSession, SmtpBehaviour>();
  const closeSession = (session: SMTPServerSession) => {
    for (const connection of server.connections) if (connection.id === session.id) connection.close();
  };
  const reply = (behaviour: { readonly code: number; readonly text: string }) =>
    Object.assign(new Error(behaviour.text), { responseCode: behaviour.code });

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 10,
    onConnect: (_session, done) => {
      sessions += 1;
      done();
    },
    onMailFrom: (_address, _session, done) => {
      // The behaviour is chosen by recipient, which is not known yet.
      const behaviour = choose('', 0);
      done(typeof behaviour === 'object' && behaviour.refuse === 'sender' ? reply(behaviour) : null);
    },
    onRcptTo: ({ address }, session, done) => {
      const before = mailsPerRecipient.get(address) ?? 0;
      mailsPerRecipient.set(address, before + 1);
      const behaviour = choose(address, before);
      chosen.set(session, behaviour);
      if (behaviour === 'drop-at-recipient') return closeSession(session);
      done(typeof behaviour === 'object' && behaviour.refuse === 'recipient' ? reply(behaviour) : null);
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8');
        const messageId = /^message-id:\s*(\S+)/im.exec(raw)?.[1] ?? '';
        mails.push({ messageId, to: session.envelope.rcptTo.map(({ address }) => address), raw });
        for (const { count, resolve } of waiters) if (mails.length >= count) resolve();
        const behaviour = chosen.get(session) ?? 'accept';
        if (behaviour === 'drop-after-data') return closeSession(session);
        if (behaviour === 'silent-after-data') return;
        done(typeof behaviour === 'object' && behaviour.refuse === 'message' ? reply(behaviour) : null);
      });
    },
  });
  // A killed client resets its connections, which is no failure of the server.
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') throw error;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  // A TCP server that listens has an address and a port.
  const { port } = server.server.address() as AddressInfo;
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    mails,
    get sessions() {
      return sessions;
    },
    setBehaviour: (next) => {
      choose = next;
    },
    waitForMails: (count) =>
      mails.length >= count ? Promise.resolve() : new Promise((resolve) => waiters.push({ count, resolve })),
    closeSessions: () => {
      for (const connection of server.connections) connection.close();
    },
  };
}
