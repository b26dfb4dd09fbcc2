import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** What a relay says instead of its usual reply: a line, at once or later, nothing for ever, or the end of the connection. */
export type ScriptedReply = { readonly say: string; readonly afterMs?: number } | 'silence' | 'drop';

/** A relay on loopback that speaks as told, also what no SMTP server would. */
export type ScriptedSmtpServer = {
  readonly port: number;
  /** The recipients of the mails that it has taken. */
  readonly acceptedRecipients: readonly string[];
  /** Each command that came, without its end of line. */
  readonly commands: readonly string[];
  /** The reply to commands that begin so, `.` being the end of a message; until it is told anew. */
  setReply(command: string, reply: ScriptedReply): void;
  /** From now on it behaves as a relay should. */
  resetReplies(): void;
};

/** The login is of `u` with the password `p`; what it sends is in base64 (RFC 4954). */
const defaultReplies: ReadonlyArray<readonly [command: string, reply: string]> = [
  ['AUTH PLAIN', '235 2.7.0 welcome'],
  ['AUTH LOGIN', '334 VXNlcm5hbWU6'],
  ['dQ==', '334 UGFzc3dvcmQ6'],
  ['cA==', '235 2.7.0 welcome'],
  ['AUTH CRAM-MD5', '334 PGFAYj4='],
  ['dSA', '235 2.7.0 welcome'],
  ['DATA', '354 go on'],
];

/** Starts one; `extensions` are what it announces after EHLO. It stops with the test. */
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
    let [text, inMessage, ignoresInput, recipient] = ['', false, false, ''];
    const speak = (reply: ScriptedReply) => {
      if (reply === 'drop') socket.destroy();
      else if (reply !== 'silence') {
        if (reply.afterMs === undefined) socket.write(`${reply.say}\r\n`);
        else setTimeout(() => socket.write(`${reply.say}\r\n`), reply.afterMs);
      }
      return reply;
    };
    const take = (line: string) => {
      if (inMessage && line !== '.') return;
      commands.push(line);
      const reply = speak(replyTo(line));
      const code = typeof reply === 'object' ? reply.say.charAt(0) : '';
      if (line.startsWith('MAIL FROM:')) recipient = '';
      if (line.startsWith('RCPT TO:') && code === '2') recipient = line.slice('RCPT TO:'.length);
      // To nobody, it was the end of an empty message (RFC 2920, section 3.1).
      if (inMessage && code === '2' && recipient !== '') acceptedRecipients.push(recipient);
      inMessage = line === 'DATA' && code === '3';
      // It has no certificate: whoever begins TLS waits for ever.
      ignoresInput = line === 'STARTTLS' && code === '2';
    };
    // The other side resets what is closed here.
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      if (ignoresInput) return;
      const lines = `${text}${chunk.toString('latin1')}`.split('\r\n');
      text = lines.pop() ?? '';
      for (const line of lines) take(line);
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
