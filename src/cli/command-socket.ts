import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Command, type ExitCode, runCommandLine, type Terminal } from './command.ts';

/**
 * Only one process can open an SQLite database, so a command that finds a running server is forwarded to it. The socket in
 * the data folder has mode 0600: only its owner can connect. The caller sends the command as one line of JSON. The server
 * returns the output and the exit code as lines of JSON.
 */
type ForwardedCommand = { readonly args: readonly string[]; readonly cwd: string; readonly isInteractive: boolean };
type OutputMessage =
  | { readonly out: string; readonly otherwise?: string | undefined }
  | { readonly err: string }
  | { readonly exit: ExitCode };

/** Longer than any command line: Linux allows 2 MiB. */
const maxCommandBytes = 4_194_304;
/** The maximum length of a path in a socket address (sockaddr_un) is a few bytes longer on all systems. */
const maxPathBytes = 100;

/** The socket on which a running server receives commands. */
export function commandSocketPath(dataDir: string): string {
  return join(dataDir, 'commands.sock');
}

/** Whether the path is short enough for a socket; `doctor` warns if not. */
export function fitsSocket(path: string): boolean {
  return Buffer.byteLength(path) <= maxPathBytes;
}

/** The commands that another process can forward. They write to the terminal of that process. */
type CommandsFor = (terminal: Terminal) => readonly Command[] | Promise<readonly Command[]>;

/** Receives commands until the returned function is called. If the path is too long, no commands are received. */
export async function serveCommands(path: string, commandsFor: CommandsFor): Promise<() => Promise<void>> {
  if (!fitsSocket(path)) return async () => undefined;
  // Remove the socket of a process that was killed. This process holds the lock of the database, so no other server uses it.
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  // Half open: a caller that no longer reads the output ends its side, and still receives the exit code.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const leave = () => void socket.end();
    socket.on('end', leave);
    let received = '';
    socket.setEncoding('utf8').on('data', function listen(text: string) {
      received += text;
      if (!received.includes('\n') && received.length < maxCommandBytes) return;
      socket.off('data', listen).off('end', leave).resume();
      void runForwardedCommand(received.slice(0, received.indexOf('\n')), socket, commandsFor);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
}

async function runForwardedCommand(line: string, socket: Socket, commandsFor: CommandsFor): Promise<void> {
  const send = (message: OutputMessage) => {
    if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
  };
  // Only the owner of the data can connect. Another program than `forwardCommand` may have sent this line.
  const command = parseForwardedCommand(line);
  if (command === undefined) {
    send({ err: 'Expected one line of JSON from a command of citizen-services, received other text.\n' });
    send({ exit: 2 });
    socket.end();
    return;
  }
  const terminal: Terminal = {
    stdout: (out, otherwise) => send({ out, otherwise }),
    stderr: (err) => send({ err }),
    isInteractive: command.isInteractive,
    cwd: command.cwd,
    hasLeft: () => !socket.writable || socket.readableEnded,
    drained: () => waitForDrain(socket),
  };
  send({ exit: await runCommandLine(command.args, await commandsFor(terminal), terminal) });
  socket.end();
}

/** Waits for a slow reader, so that this process does not buffer the whole output. */
async function waitForDrain(socket: Socket): Promise<void> {
  if (!socket.writable || !socket.writableNeedDrain) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const onDrain = () => resolve();
  socket.on('drain', onDrain).on('close', onDrain);
  await promise;
  socket.off('drain', onDrain).off('close', onDrain);
}

function parseForwardedCommand(line: string): ForwardedCommand | undefined {
  let command: unknown;
  try {
    command = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof command !== 'object' || command === null) return undefined;
  const { args, cwd, isInteractive } = command as Partial<Record<keyof ForwardedCommand, unknown>>;
  const isValid = Array.isArray(args) && args.every((arg) => typeof arg === 'string') && typeof cwd === 'string';
  return isValid ? { args, cwd, isInteractive: isInteractive === true } : undefined;
}

/** Forwards a command to the server that listens on the socket; undefined if there is none. */
export function forwardCommand(
  path: string,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode | undefined> {
  const { promise, resolve } = Promise.withResolvers<ExitCode | undefined>();
  const socket = connect(path);
  let connected = false;
  let exit: ExitCode | undefined;
  const show = (line: OutputMessage) => {
    if ('out' in line) terminal.stdout(line.out, line.otherwise);
    else if ('err' in line) terminal.stderr(line.err);
    else exit = line.exit;
  };
  socket.on('connect', () => {
    connected = true;
    const { cwd, isInteractive } = terminal;
    socket.write(`${JSON.stringify({ args, cwd, isInteractive } satisfies ForwardedCommand)}\n`);
  });
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
    if (!text.includes('\n')) return;
    // Only a line feed ends a line. A server that crashes can leave an incomplete last line.
    const lines = received.split('\n');
    received = lines.pop() ?? '';
    for (const line of lines) show(JSON.parse(line) as OutputMessage);
    if (terminal.hasLeft?.() === true) socket.end();
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    if (!connected) resolve(undefined);
    else if (exit !== undefined) resolve(exit);
    else {
      terminal.stderr('The server stopped before the command was done. Start the server, and run the command again.\n');
      resolve(1);
    }
  });
  return promise;
}
