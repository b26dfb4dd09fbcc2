import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Command, type ExitCode, runCommandLine, type Terminal } from './command.ts';

/**
 * An SQLite database is open in one process at a time, so a command that finds a running server hands itself over to it,
 * through a socket in the data folder that only its owner can open (mode 0600). Lines of JSON: the order goes one way,
 * what the command prints and its exit code come back.
 */
type ForwardedCommand = { readonly args: readonly string[]; readonly cwd: string; readonly isInteractive: boolean };
type OutputMessage =
  | { readonly out: string; readonly otherwise?: string | undefined }
  | { readonly err: string }
  | { readonly exit: ExitCode };

/** No command line is longer: the limit of Linux is 128 KiB for one argument, and 2 MiB in all. */
const maxCommandBytes = 4_194_304;
/** A longer path does not fit into a socket address (sockaddr_un). */
const maxPathBytes = 100;

/** Where a running server takes the commands that work on its data. */
export function commandSocketPath(dataDir: string): string {
  return join(dataDir, 'commands.sock');
}

/** Whether a socket can have that path; `doctor` tells where not. */
export function fitsSocket(path: string): boolean {
  return Buffer.byteLength(path) <= maxPathBytes;
}

/** The commands that another process may hand over; they write to the terminal of that one. */
export type CommandsFor = (terminal: Terminal) => readonly Command[] | Promise<readonly Command[]>;

/** Takes commands for this process; gives what stops it. Where the path is too long there is nothing to take them. */
export async function serveCommands(path: string, commandsFor: CommandsFor): Promise<() => Promise<void>> {
  if (!fitsSocket(path)) return async () => undefined;
  // A socket file that a killed process left behind; the lock of the database says that it is gone.
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  // Half open: who reads the data no more ends that side, and is told the end of the command all the same.
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
  // Whoever can open the socket is the owner of the data. The order was written by `handOver` below, or by something else.
  const command = parseForwardedCommand(line);
  if (command === undefined) {
    send({ err: 'This socket takes one line of JSON from the commands of citizen-services.\n' });
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

/** A reader that does not read keeps the command waiting: what is written meanwhile, this process would have to keep. */
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

/** Hands a command over to the server that listens there; undefined where there is none. */
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
    // Only what ends with a line feed is a line: text may hold other ends of lines, and a server may end within one.
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
      terminal.stderr('The server stopped before the command was done. Run it again: what was begun is resumed.\n');
      resolve(1);
    }
  });
  return promise;
}
