import { Readable } from 'node:stream';
import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';

/** Where the relay is. */
export type RelayAt = {
  readonly connection: SMTPConnectionOptions;
  readonly login: { readonly user: string; readonly pass: string } | undefined;
  /** After so many messages a connection is replaced: relays count them. */
  readonly messagesPerConnection: number;
};

/** The same, and how long its answers may take: to a message longer than to all else. */
type Relay = RelayAt & { readonly silenceMs: number; readonly verdictMs: number };

/** What a failed call says of itself: `begun` once the message's first byte was handed to a relay that took DATA. */
export type SmtpFault = {
  readonly begun: boolean;
  readonly code: string | undefined;
  readonly responseCode: number | undefined;
  readonly response: string;
  readonly command: string;
  /** What the system, TLS or the relay said. */
  readonly message: string;
};

export type Envelope = { readonly from: string; readonly to: string };

/** An open session with the relay, for one message at a time. */
export type Line = { readonly smtp: SMTPConnection; sent: number; open: boolean };

/** Connections to one relay, kept open between messages. */
export type Connections = {
  /** A session that is ready for a message; it is either sent over or given back. */
  take(): Promise<Line | { readonly fault: SmtpFault }>;
  /** Hands one message over; undefined when the relay took it. The line is then no more the caller's. */
  send(line: Line, envelope: Envelope, raw: Buffer): Promise<SmtpFault | undefined>;
  giveBack(line: Line): void;
  /** Ends the idle connections, and each other one after the message it is at. */
  close(): void;
};

/**
 * nodemailer's own pool would put a message back into its queue when a connection breaks, after DATA as well: that is
 * how mail is sent twice. So the connections are kept here, and a message goes over one connection once; only where a
 * kept connection turns out dead before the relay took DATA is a fresh one tried.
 */
export function createConnections(relay: Relay): Connections {
  const idle: Line[] = [];
  let closed = false;

  async function take(): Promise<Line | { readonly fault: SmtpFault }> {
    for (let line = idle.pop(); line !== undefined; line = idle.pop()) if (line.open) return line;
    return connect(relay);
  }

  function giveBack(line: Line): void {
    if (!line.open) return;
    if (closed || line.sent >= relay.messagesPerConnection) line.smtp.quit();
    else idle.push(line);
  }

  function giveBackAfter(line: Line, fault: SmtpFault | undefined): void {
    line.sent += 1;
    if (fault === undefined) {
      giveBack(line);
    } else if (fault.responseCode === undefined || fault.responseCode === 421 || !line.open) {
      line.smtp.close();
    } else {
      // The relay refused this message only: the session is as good as new after a reset.
      line.smtp.reset((error) => (error ? line.smtp.close() : giveBack(line)));
    }
  }

  return {
    take,
    giveBack,
    send: async (line, envelope, raw) => {
      const kept = line.sent > 0;
      const fault = await hand(relay, line, envelope, raw);
      giveBackAfter(line, fault);
      if (fault === undefined || !kept || fault.begun || fault.responseCode !== undefined) return fault;
      const fresh = await connect(relay);
      if ('fault' in fresh) return fresh.fault;
      const again = await hand(relay, fresh, envelope, raw);
      giveBackAfter(fresh, again);
      return again;
    },
    close: () => {
      closed = true;
      for (const line of idle.splice(0)) if (line.open) line.smtp.quit();
    },
  };
}

async function connect(relay: Relay): Promise<Line | { readonly fault: SmtpFault }> {
  const smtp = new SMTPConnection(relay.connection);
  const line: Line = { smtp, sent: 0, open: true };
  smtp.once('end', () => {
    line.open = false;
  });
  try {
    await ready(smtp, relay.login);
    return line;
  } catch (error) {
    smtp.close();
    return { fault: faultOf(error, false) };
  }
}

/**
 * Connected and logged in. Of a connection that breaks or falls silent nodemailer tells its events only, never the call
 * that waits for a reply, so one promise listens through all steps.
 */
function ready(smtp: SMTPConnection, login: Relay['login']): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: unknown) => (error ? reject(error) : resolve());
    // Later errors reach the call in flight, or end an idle connection: 'end' follows.
    smtp.on('error', reject);
    smtp.once('end', () => reject(Object.assign(new Error('connection closed'), { code: 'ECONNECTION' })));
    smtp.connect((error) => (error || login === undefined ? done(error) : smtp.login({ credentials: login }, done)));
  });
}

async function hand(relay: Relay, line: Line, { from, to }: Envelope, raw: Buffer): Promise<SmtpFault | undefined> {
  let begun = false;
  const body = new Readable({
    read() {
      begun = true;
      allowSilence(line, relay.verdictMs);
      holdTogether(line);
      this.push(raw);
      this.push(null);
    },
  });
  const fault = await new Promise<SmtpFault | undefined>((resolve) => {
    line.smtp.send({ from, to: [to], size: raw.length }, body, (error) =>
      resolve(error ? faultOf(error, begun) : undefined),
    );
  });
  allowSilence(line, relay.silenceMs);
  return fault;
}

/** What is written in this turn leaves in one piece: nodemailer writes the message and its end apart. */
function holdTogether({ smtp }: Line): void {
  const socket = smtp._socket;
  if (!socket) return;
  socket.cork();
  setImmediate(() => socket.uncork());
}

/** nodemailer has one limit for a whole session; its socket, which is declared, can have another. */
function allowSilence({ smtp, open }: Line, ms: number): void {
  if (open && smtp._socket) smtp._socket.setTimeout(ms);
}

function faultOf(error: unknown, begun: boolean): SmtpFault {
  // nodemailer hangs these on its errors; each may be absent.
  const { code, responseCode, response, command } = error as Partial<Record<string, unknown>>;
  return {
    begun,
    code: typeof code === 'string' ? code : undefined,
    responseCode: typeof responseCode === 'number' ? responseCode : undefined,
    response: typeof response === 'string' ? response : '',
    command: typeof command === 'string' ? command : '',
    message: error instanceof Error ? error.message : 'no reply',
  };
}
