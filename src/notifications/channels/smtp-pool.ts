import { Readable } from 'node:stream';
import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';

/** Where the relay is. */
export type RelayOptions = {
  readonly connection: SMTPConnectionOptions;
  readonly login: { readonly user: string; readonly pass: string } | undefined;
  /** After so many messages a connection is replaced: relays count them. */
  readonly messagesPerConnection: number;
};

/** The same, and how long its answers may take: to a message longer than to all else. */
type RelayWithTimeouts = RelayOptions & { readonly replyTimeoutMs: number; readonly dataReplyTimeoutMs: number };

/** What a failed call says of itself: `begun` once the message's first byte was handed to a relay that took DATA. */
export type SmtpFault = {
  readonly dataStarted: boolean;
  readonly code: string | undefined;
  readonly responseCode: number | undefined;
  readonly response: string;
  readonly command: string;
  /** What the system, TLS or the relay said. */
  readonly message: string;
};

export type Envelope = { readonly from: string; readonly to: string };

/** An open session with the relay, for one message at a time. */
export type SmtpSession = { readonly smtp: SMTPConnection; sent: number; open: boolean };

/** Connections to one relay, kept open between messages. */
export type SmtpPool = {
  /** A session that is ready for a message; it is either sent over or given back. */
  acquire(): Promise<SmtpSession | { readonly fault: SmtpFault }>;
  /** Hands one message over; undefined when the relay took it. The line is then no more the caller's. */
  send(session: SmtpSession, envelope: Envelope, raw: Buffer): Promise<SmtpFault | undefined>;
  release(line: SmtpSession): void;
  /** Ends the idle connections, and each other one after the message it is at. */
  close(): void;
};

/**
 * nodemailer's own pool would put a message back into its queue when a connection breaks, after DATA as well: that is
 * how mail is sent twice. So the connections are kept here, and a message goes over one connection once; only where a
 * kept connection turns out dead before the relay took DATA is a fresh one tried.
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
      // The relay refused this message only: the session is as good as new after a reset.
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
      const again = await sendMessage(relay, fresh, envelope, raw);
      releaseAfter(fresh, again);
      return again;
    },
    close: () => {
      closed = true;
      for (const session of idle.splice(0)) if (session.open) session.smtp.quit();
    },
  };
}

async function openSession(relay: RelayWithTimeouts): Promise<SmtpSession | { readonly fault: SmtpFault }> {
  const smtp = new SMTPConnection(relay.connection);
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
 * Connected and logged in. Of a connection that breaks or falls silent nodemailer tells its events only, never the call
 * that waits for a reply, so one promise listens through all steps.
 */
function connectAndLogIn(smtp: SMTPConnection, login: RelayWithTimeouts['login']): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: unknown) => (error ? reject(error) : resolve());
    // Later errors reach the call in flight, or end an idle connection: 'end' follows.
    smtp.on('error', reject);
    smtp.once('end', () => reject(Object.assign(new Error('connection closed'), { code: 'ECONNECTION' })));
    smtp.connect((error) => (error || login === undefined ? done(error) : smtp.login({ credentials: login }, done)));
  });
}

async function sendMessage(
  relay: RelayWithTimeouts,
  session: SmtpSession,
  { from, to }: Envelope,
  raw: Buffer,
): Promise<SmtpFault | undefined> {
  let dataStarted = false;
  const body = new Readable({
    read() {
      dataStarted = true;
      setReplyTimeout(session, relay.dataReplyTimeoutMs);
      corkUntilNextTick(session);
      this.push(raw);
      this.push(null);
    },
  });
  const fault = await new Promise<SmtpFault | undefined>((resolve) => {
    session.smtp.send({ from, to: [to], size: raw.length }, body, (error) =>
      resolve(error ? faultOf(error, dataStarted) : undefined),
    );
  });
  setReplyTimeout(session, relay.replyTimeoutMs);
  return fault;
}

/** What is written in this turn leaves in one piece: nodemailer writes the message and its end apart. */
function corkUntilNextTick({ smtp }: SmtpSession): void {
  const socket = smtp._socket;
  if (!socket) return;
  socket.cork();
  setImmediate(() => socket.uncork());
}

/** nodemailer has one limit for a whole session; its socket, which is declared, can have another. */
function setReplyTimeout({ smtp, open }: SmtpSession, ms: number): void {
  if (open && smtp._socket) smtp._socket.setTimeout(ms);
}

function faultOf(error: unknown, dataStarted: boolean): SmtpFault {
  // nodemailer hangs these on its errors; each may be absent.
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
