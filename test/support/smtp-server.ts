import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import type { CleanupScope } from './server-process.ts';

/** A mail that was received in full, whatever the reply was. */
type ReceivedMail = { readonly messageId: string; readonly to: readonly string[]; readonly raw: string };

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

/** A scripted reply: a line, at once or after a delay; silence; or a closed connection. */
export type ScriptedReply = { readonly say: string; readonly afterMs?: number } | 'silence' | 'drop';

/** A relay on loopback with scripted replies, also ones that no SMTP server would send. */
type ScriptedSmtpServer = {
  readonly port: number;
  /** The recipients of the accepted mails. */
  readonly acceptedRecipients: readonly string[];
  /** Each received command, without its line end. */
  readonly commands: readonly string[];
  /** Sets the reply to commands with this start, until it is set again; `.` is the end of a message. */
  setReply(command: string, reply: ScriptedReply): void;
  /** Removes all scripted replies. */
  resetReplies(): void;
};

/** The login is user `u` with password `p`, in base64 (RFC 4954). */
const defaultReplies: ReadonlyArray<readonly [command: string, reply: string]> = [
  ['AUTH PLAIN', '235 2.7.0 welcome'],
  ['AUTH LOGIN', '334 VXNlcm5hbWU6'],
  ['dQ==', '334 UGFzc3dvcmQ6'],
  ['cA==', '235 2.7.0 welcome'],
  ['AUTH CRAM-MD5', '334 PGFAYj4='],
  ['dSA', '235 2.7.0 welcome'],
  ['DATA', '354 go on'],
];

/** Starts a relay that announces these extensions after EHLO. It stops with the test. */
export async function startScriptedSmtpServer(
  t: TestContext,
  extensions: readonly string[] = [],
): Promise<ScriptedSmtpServer> {
  const sockets = new Set<Socket>();
  const script = new Map<string, ScriptedReply>();
  const commands: string[] = [];
  const acceptedRecipients: string[] = [];

  function replyTo(command: string): ScriptedReply {
    const scripted = [...script].find(([begin]) => command.startsWith(begin))?.[1];
    if (scripted !== undefined) return scripted;
    if (command.startsWith('EHLO')) {
      const lines = ['relay.example', ...extensions];
      return { say: lines.map((line, index) => `250${index + 1 < lines.length ? '-' : ' '}${line}`).join('\r\n') };
    }
    return { say: defaultReplies.find(([begin]) => command.startsWith(begin))?.[1] ?? '250 2.0.0 ok' };
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    let inMessage = false;
    let ignoresInput = false;
    let recipient = '';
    const speak = (reply: ScriptedReply) => {
      if (reply === 'drop') socket.destroy();
      else if (reply !== 'silence') {
        if (reply.afterMs === undefined) socket.write(`${reply.say}\r\n`);
        else setTimeout(() => socket.write(`${reply.say}\r\n`), reply.afterMs);
      }
      return reply;
    };
    const receive = (line: string) => {
      if (inMessage && line !== '.') return;
      commands.push(line);
      const reply = speak(replyTo(line));
      const code = typeof reply === 'object' ? reply.say.charAt(0) : '';
      if (line.startsWith('MAIL FROM:')) recipient = '';
      if (line.startsWith('RCPT TO:') && code === '2') recipient = line.slice('RCPT TO:'.length);
      // Without a recipient it was the end of an empty message (RFC 2920, section 3.1).
      if (inMessage && code === '2' && recipient !== '') acceptedRecipients.push(recipient);
      inMessage = line === 'DATA' && code === '3';
      // It has no certificate, so a TLS handshake never ends.
      ignoresInput = line === 'STARTTLS' && code === '2';
    };
    // The client resets a connection that is closed here.
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      if (ignoresInput) return;
      const lines = `${text}${chunk.toString('latin1')}`.split('\r\n');
      text = lines.pop() ?? '';
      for (const line of lines) receive(line);
    });
    speak({ say: '220 relay.example ESMTP' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // It listens on TCP, so its address has a port.
  const { port } = server.address() as AddressInfo;
  const setReply = (command: string, reply: ScriptedReply) => void script.set(command, reply);
  return { port, acceptedRecipients, commands, setReply, resetReplies: () => script.clear() };
}
