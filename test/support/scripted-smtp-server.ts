import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A scripted reply: a line, at once or after a delay; silence; or a closed connection. */
export type ScriptedReply = { readonly say: string; readonly afterMs?: number } | 'silence' | 'drop';

/** A relay on loopback with scripted replies, also ones that no SMTP server would send. */
export type ScriptedSmtpServer = {
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
