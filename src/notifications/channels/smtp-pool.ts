import { Readable } from 'node:stream';
import { SmtpConnection, type SmtpConnectionOptions } from './nodemailer-internals.ts';

/** Where the relay is and how to log in. */
export type RelayOptions = {
  readonly connection: SmtpConnectionOptions;
  readonly login: { readonly user: string; readonly pass: string } | undefined;
  /** A connection is replaced after this many messages, because relays limit them. */
  readonly messagesPerConnection: number;
};

/** `dataReplyTimeoutMs` limits the silence after the message began, `replyTimeoutMs` all other silence. */
type RelayWithTimeouts = RelayOptions & { readonly replyTimeoutMs: number; readonly dataReplyTimeoutMs: number };

/** Why a call failed. */
export type SmtpFault = {
  /** True once the relay accepted DATA and the first byte of the message was handed over: it may have the mail. */
  readonly dataStarted: boolean;
  readonly code: string | undefined;
  readonly responseCode: number | undefined;
  readonly response: string;
  readonly command: string;
  /** The text of the system, TLS or the relay. */
  readonly message: string;
};

type Envelope = { readonly from: string; readonly to: string };

/** An open session with the relay; it carries one message at a time. */
type SmtpSession = { readonly smtp: SmtpConnection; sent: number; open: boolean };

/** Connections to one relay, kept open between messages. */
type SmtpPool = {
  /** A session that is ready for a message. The caller then either sends over it or releases it. */
  acquire(): Promise<SmtpSession | { readonly fault: SmtpFault }>;
  /** Sends one message; undefined when the relay accepted it. The session goes back to the pool. */
  send(session: SmtpSession, envelope: Envelope, raw: Buffer): Promise<SmtpFault | undefined>;
  release(session: SmtpSession): void;
  /** Ends the idle connections now, and each other one after its message. */
  close(): void;
};

/**
 * Creates the pool. A message is sent over one connection once. It is sent again over a fresh connection only when a
 * reused one broke before the relay accepted DATA, so no message arrives twice.
 */
export function createSmtpPool(relay: RelayWithTimeouts): SmtpPool {
  const idle: SmtpSession[] = [];
  let closed = false;

  async function acquire(): Promise<SmtpSession | { readonly fault: SmtpFault }> {
    for (let session = idle.pop(); session !== undefined; session = idle.pop()) if (session.open) return session;
    return openSession(relay);
  }

  function release(session: SmtpSession): void {
    if (!session.open) return;
    if (closed || session.sent >= relay.messagesPerConnection) session.smtp.quit();
    else idle.push(session);
  }

  function releaseAfter(session: SmtpSession, fault: SmtpFault | undefined): void {
    session.sent += 1;
    if (fault === undefined) {
      release(session);
    } else if (fault.responseCode === undefined || fault.responseCode === 421 || !session.open) {
      session.smtp.close();
    } else {
      // The relay rejected this message only. After a reset the session can carry the next one.
      session.smtp.reset((error) => (error ? session.smtp.close() : release(session)));
    }
  }

  return {
    acquire,
    release,
    send: async (session, envelope, raw) => {
      const wasReused = session.sent > 0;
      const fault = await sendMessage(relay, session, envelope, raw);
      releaseAfter(session, fault);
      if (fault === undefined || !wasReused || fault.dataStarted || fault.responseCode !== undefined) return fault;
      const fresh = await openSession(relay);
      if ('fault' in fresh) return fresh.fault;
      const secondFault = await sendMessage(relay, fresh, envelope, raw);
      releaseAfter(fresh, secondFault);
      return secondFault;
    },
    close: () => {
      closed = true;
      for (const session of idle.splice(0)) if (session.open) session.smtp.quit();
    },
  };
}

async function openSession(relay: RelayWithTimeouts): Promise<SmtpSession | { readonly fault: SmtpFault }> {
  const smtp = new SmtpConnection(relay.connection);
  const session: SmtpSession = { smtp, sent: 0, open: true };
  smtp.once('end', () => {
    session.open = false;
  });
  try {
    await connectAndLogIn(smtp, relay.login);
    return session;
  } catch (error) {
    smtp.close();
    return { fault: faultOf(error, false) };
  }
}

/**
 * Resolves when the session is connected and logged in. nodemailer reports a broken or silent connection by an event, and
 * never calls the callback that waits for the reply. So one promise listens to both through all steps.
 */
function connectAndLogIn(smtp: SmtpConnection, login: RelayOptions['login']): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: unknown) => (error ? reject(error) : resolve());
    // The listener stays: later errors reach the callback of the call in progress, or end an idle connection.
    smtp.on('error', reject);
    smtp.once('end', () => reject(new SmtpConnectionEnded()));
    smtp.connect((error) => (error || login === undefined ? done(error) : smtp.login({ credentials: login }, done)));
  });
}

/** The relay ended the connection before the session was ready. */
class SmtpConnectionEnded extends Error {
  readonly code = 'ECONNECTION';
  constructor() {
    super('connection closed');
    this.name = 'SmtpConnectionEnded';
  }
}

async function sendMessage(
  relay: RelayWithTimeouts,
  session: SmtpSession,
  { from, to }: Envelope,
  raw: Buffer,
): Promise<SmtpFault | undefined> {
  const { smtp } = session;
  const setReplyTimeout = (ms: number) => session.open && smtp.setReplyTimeout(ms);
  let dataStarted = false;
  // nodemailer reads the body only after the relay accepted DATA.
  const body = new Readable({
    read() {
      dataStarted = true;
      setReplyTimeout(relay.dataReplyTimeoutMs);
      smtp.corkUntilNextTick();
      this.push(raw);
      this.push(null);
    },
  });
  const fault = await new Promise<SmtpFault | undefined>((resolve) => {
    smtp.send({ from, to: [to], size: raw.length }, body, (error) =>
      resolve(error ? faultOf(error, dataStarted) : undefined),
    );
  });
  setReplyTimeout(relay.replyTimeoutMs);
  return fault;
}

function faultOf(error: unknown, dataStarted: boolean): SmtpFault {
  // nodemailer adds these members to its errors; each may be missing.
  const { code, responseCode, response, command } = error as Partial<Record<string, unknown>>;
  return {
    dataStarted,
    code: typeof code === 'string' ? code : undefined,
    responseCode: typeof responseCode === 'number' ? responseCode : undefined,
    response: typeof response === 'string' ? response : '',
    command: typeof command === 'string' ? command : '',
    message: error instanceof Error ? error.message : 'no reply',
  };
}
