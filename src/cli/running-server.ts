import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Command, type ExitCode, runCommandLine, type Terminal } from './command.ts';

/**
 * An SQLite database is open in one process at a time, so a command that finds a running server hands itself over to it,
 * through a socket in the data folder that only its owner can open (mode 0600). Lines of JSON: the order goes one way,
 * what the command prints and its exit code come back.
 */
type Order = { readonly args: readonly string[]; readonly cwd: string; readonly isInteractive: boolean };
type Line =
  | { readonly out: string; readonly otherwise?: string | undefined }
  | { readonly err: string }
  | { readonly exit: ExitCode };

/** No command line is longer: the limit of Linux is 128 KiB for one argument, and 2 MiB in all. */
const longestOrder = 4_194_304;
/** A longer path does not fit into a socket address (sockaddr_un). */
const longestPath = 100;

/** Where a running server takes the commands that work on its data. */
export function commandSocket(dataDir: string): string {
  return join(dataDir, 'commands.sock');
}

/** Whether a socket can have that path; `doctor` tells where not. */
export function fitsSocket(path: string): boolean {
  return Buffer.byteLength(path) <= longestPath;
}

/** The commands that another process may hand over; they write to the terminal of that one. */
export type CommandsFor = (terminal: Terminal) => readonly Command[] | Promise<readonly Command[]>;

/** Takes commands for this process; gives what stops it. Where the path is too long there is nothing to take them. */
export async function takeCommands(path: string, commandsFor: CommandsFor): Promise<() => Promise<void>> {
  if (!fitsSocket(path)) return async () => undefined;
  // A socket file that a killed process left behind; the lock of the database says that it is gone.
  rmSync(path, { force: true });
  const open = new Set<Socket>();
  // Half open: who reads the data no more ends that side, and is told the end of the command all the same.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    const leave = () => void socket.end();
    socket.on('end', leave);
    let told = '';
    socket.setEncoding('utf8').on('data', function listen(text: string) {
      told += text;
      if (!told.includes('\n') && told.length < longestOrder) return;
      socket.off('data', listen).off('end', leave).resume();
      void obey(told.slice(0, told.indexOf('\n')), socket, commandsFor);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
}

async function obey(line: string, socket: Socket, commandsFor: CommandsFor): Promise<void> {
  const tell = (message: Line) => {
    if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
  };
  // Whoever can open the socket is the owner of the data. The order was written by `handOver` below, or by something else.
  const order = orderIn(line);
  if (order === undefined) {
    tell({ err: 'This socket takes one line of JSON from the commands of citizen-services.\n' });
    tell({ exit: 2 });
    socket.end();
    return;
  }
  const terminal: Terminal = {
    stdout: (out, otherwise) => tell({ out, otherwise }),
    stderr: (err) => tell({ err }),
    isInteractive: order.isInteractive,
    cwd: order.cwd,
    hasLeft: () => !socket.writable || socket.readableEnded,
    taken: () => taken(socket),
  };
  tell({ exit: await runCommandLine(order.args, await commandsFor(terminal), terminal) });
  socket.end();
}

/** A reader that does not read keeps the command waiting: what is written meanwhile, this process would have to keep. */
async function taken(socket: Socket): Promise<void> {
  if (!socket.writable || !socket.writableNeedDrain) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const go = () => resolve();
  socket.on('drain', go).on('close', go);
  await promise;
  socket.off('drain', go).off('close', go);
}

function orderIn(line: string): Order | undefined {
  let order: unknown;
  try {
    order = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof order !== 'object' || order === null) return undefined;
  const { args, cwd, isInteractive } = order as Partial<Record<keyof Order, unknown>>;
  const isOne = Array.isArray(args) && args.every((arg) => typeof arg === 'string') && typeof cwd === 'string';
  return isOne ? { args, cwd, isInteractive: isInteractive === true } : undefined;
}

/** Hands a command over to the server that listens there; undefined where there is none. */
export function handOver(path: string, args: readonly string[], terminal: Terminal): Promise<ExitCode | undefined> {
  const { promise, resolve } = Promise.withResolvers<ExitCode | undefined>();
  const socket = connect(path);
  let connected = false;
  let exit: ExitCode | undefined;
  const show = (line: Line) => {
    if ('out' in line) terminal.stdout(line.out, line.otherwise);
    else if ('err' in line) terminal.stderr(line.err);
    else exit = line.exit;
  };
  socket.on('connect', () => {
    connected = true;
    const { cwd, isInteractive } = terminal;
    socket.write(`${JSON.stringify({ args, cwd, isInteractive } satisfies Order)}\n`);
  });
  let told = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    told += text;
    if (!text.includes('\n')) return;
    // Only what ends with a line feed is a line: text may hold other ends of lines, and a server may end within one.
    const lines = told.split('\n');
    told = lines.pop() ?? '';
    for (const line of lines) show(JSON.parse(line) as Line);
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
