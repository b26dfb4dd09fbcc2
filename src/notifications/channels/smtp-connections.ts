import { Readable } from 'node:stream';
import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';

/** Where the relay is, and how long its answers may take. */
export type Relay = {
  readonly connection: SMTPConnectionOptions;
  readonly login: { readonly user: string; readonly pass: string } | undefined;
  /** After so many messages a connection is replaced: relays count them. */
  readonly messagesPerConnection: number;
};

/** What a failed call says of itself: `begun` once the message's first byte was handed to a relay that took DATA. */
export type SmtpFault = {
  readonly begun: boolean;
  readonly code: string | undefined;
  readonly responseCode: number | undefined;
  readonly response: string;
  readonly command: string;
};

export type Envelope = { readonly from: string; readonly to: string; readonly size: number };

/** Connections to one relay, kept open between messages. */
export type Connections = {
  /** Hands one message over; undefined when the relay took it. */
  send(envelope: Envelope, raw: Buffer): Promise<SmtpFault | undefined>;
  /** Ends the idle connections, and each other one after the message it is at. */
  close(): void;
};

type Line = { readonly smtp: SMTPConnection; sent: number; open: boolean };

/**
 * nodemailer's own pool would put a message back into its queue when a connection breaks, after DATA as well: that is
 * how mail is sent twice. So the connections are kept here, and a message goes over one connection once; only where an
 * idle connection turns out dead before the relay took DATA is a fresh one tried.
 */
export function createConnections(relay: Relay): Connections {
  const idle: Line[] = [];
  let closed = false;

  async function connect(): Promise<Line> {
    const smtp = new SMTPConnection(relay.connection);
    const line: Line = { smtp, sent: 0, open: true };
    smtp.once('end', () => {
      line.open = false;
    });
    try {
      await openSession(smtp);
      return line;
    } catch (error) {
      smtp.close();
      throw error;
    }
  }

  async function openSession(smtp: SMTPConnection): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      // Later errors reach the call in flight, or end an idle connection: 'end' follows.
      smtp.on('error', reject);
      smtp.connect((error) => (error ? reject(error) : resolve()));
      smtp.once('end', () => reject(Object.assign(new Error('connection closed'), { code: 'ECONNECTION' })));
    });
    const { login } = relay;
    if (login !== undefined) {
      await new Promise<void>((resolve, reject) =>
        smtp.login({ credentials: login }, (error) => (error ? reject(error) : resolve())),
      );
    }
  }

  function takeIdle(): Line | undefined {
    for (let line = idle.pop(); line !== undefined; line = idle.pop()) if (line.open) return line;
    return undefined;
  }

  function giveBack(line: Line): void {
    line.sent += 1;
    if (!line.open) return;
    if (closed || line.sent >= relay.messagesPerConnection) line.smtp.quit();
    else idle.push(line);
  }

  return {
    send: async (envelope, raw) => {
      const kept = takeIdle();
      if (kept !== undefined) {
        const fault = await hand(kept, envelope, raw);
        if (fault === undefined || fault.begun || fault.responseCode !== undefined) {
          giveBackAfter(kept, fault);
          return fault;
        }
        kept.smtp.close();
      }
      let fresh: Line;
      try {
        fresh = await connect();
      } catch (error) {
        return faultOf(error, false);
      }
      const fault = await hand(fresh, envelope, raw);
      giveBackAfter(fresh, fault);
      return fault;
    },
    close: () => {
      closed = true;
      for (const line of idle.splice(0)) if (line.open) line.smtp.quit();
    },
  };

  function giveBackAfter(line: Line, fault: SmtpFault | undefined): void {
    if (fault === undefined) {
      giveBack(line);
    } else if (fault.responseCode === undefined || fault.responseCode === 421 || !line.open) {
      line.smtp.close();
    } else {
      // The relay refused this message only: the session is as good as new after a reset.
      line.smtp.reset((error) => (error ? line.smtp.close() : giveBack(line)));
    }
  }
}

function hand(line: Line, envelope: Envelope, raw: Buffer): Promise<SmtpFault | undefined> {
  let begun = false;
  const body = new Readable({
    read() {
      begun = true;
      this.push(raw);
      this.push(null);
    },
  });
  return new Promise((resolve) => {
    line.smtp.send({ from: envelope.from, to: [envelope.to], size: envelope.size }, body, (error) =>
      resolve(error ? faultOf(error, begun) : undefined),
    );
  });
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
  };
}
