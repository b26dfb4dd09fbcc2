import { parseArgs } from 'node:util';
import { ReadUnavailable } from '../db/database.ts';
import { type CommandDescription, type CommandOption, commandHelp, commandList, usageLines } from './command-help.ts';
import { nearestCommand } from './nearest-command.ts';

/** Where a command writes: data to `stdout`, messages for people to `stderr`. */
export type Terminal = {
  /** `otherwise` is printed to `stderr` if the text cannot be written; the exit code is then 1. Use it for text that is shown only once. */
  readonly stdout: (text: string, otherwise?: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether standard error is a terminal. If not, there are no progress bars and no colours. */
  readonly isInteractive: boolean;
  /** The width of the terminal that shows standard output. Undefined if standard output is not a terminal. */
  readonly columns?: number | undefined;
  /** The folder that relative paths in the arguments are relative to. */
  readonly cwd: string;
  /** Whether the reader of the output is gone. If a server runs the command for another process: whether that process has ended. */
  readonly hasLeft?: () => boolean;
  /** Only if a server runs the command: resolves when the other process has read the output or has ended. Await it after each page. */
  readonly drained?: () => Promise<void>;
};

class CallerLeft extends Error {
  override readonly name = 'CallerLeft';
}

/** Ends a long command silently if its caller has ended or no longer reads. Call it only where nothing is half done. */
export function requireCaller({ hasLeft }: Terminal): void {
  if (hasLeft?.() === true) throw new CallerLeft('the caller of this command has ended');
}

/** 0: done; 1: failed; 2: wrong usage. */
export type ExitCode = 0 | 1 | 2;

/** One command of the command line. `run` receives the arguments after its name. */
export type Command = CommandDescription & { run(args: readonly string[]): Promise<ExitCode> };

/** The option of commands that print a result. */
export const jsonOption: CommandOption = { form: '--json', meaning: 'Prints the result as JSON.' };

/** A command cannot do its work. The message is for the operator; the exit code is 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** Wrong usage. The message says what to write instead; the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The process that runs the command cannot read or write a file that the arguments name. */
export class FileUsageError extends UsageError {}

const serverReadsHint =
  'The running server opened this path, as its user. Its service unit often hides /tmp and /home.\n';

/** Runs the command that the arguments name, or prints help if they name none. Called by the command line and by a server for another process. */
export async function runCommandLine(
  args: readonly string[],
  commands: readonly Command[],
  terminal: Terminal,
): Promise<ExitCode> {
  const [first = 'help', ...others] = args;
  if (first === 'help' && others.length > 0) return await runCommandLine([...others, '--help'], commands, terminal);
  if (first === 'help' || isHelpFlag(first)) {
    terminal.stdout(commandList(commands, terminal.columns));
    return 0;
  }
  const command = findCommand(args, commands);
  if (command === undefined) return await printFamilyHelp(args, commands, terminal);
  const rest = args.slice(command.name.split(' ').length);
  if (rest.some(isHelpFlag)) {
    terminal.stdout(commandHelp(command, terminal.columns));
    return 0;
  }
  try {
    return await command.run(rest);
  } catch (fault) {
    if (fault instanceof CallerLeft) return 1;
    if (fault instanceof UsageError || isParseArgsFault(fault)) {
      // `drained` exists only if a server runs the command for another process.
      const isElsewhere = fault instanceof FileUsageError && terminal.drained !== undefined;
      const message = (await describeUnknownOption(fault.message, command)) ?? fault.message;
      const usage = usageLines(command, terminal.columns);
      terminal.stderr(`${message}\n${isElsewhere ? serverReadsHint : ''}${usage}\n`);
      return 2;
    }
    terminal.stderr(`${describeFailure(fault)}\n`);
    return 1;
  }
}

/** The message of a command that failed, with what to do. */
function describeFailure(fault: unknown): string {
  const message = messageOf(fault);
  const unknown = explainUnknownAuthority(message);
  if (unknown !== undefined) return `${unknown.found}: ${unknown.fix}`;
  if (fault instanceof ReadUnavailable)
    return `${message}. Run "citizen-services doctor", which names the cause and the fix.`;
  const isForbidden = fault instanceof Error && 'syscall' in fault && 'code' in fault && fault.code === 'EACCES';
  if (isForbidden)
    return `${message}. Use a path on which the user of this process (${process.getuid?.()}) has rights.`;
  return message;
}

/** The message for an unknown option: the similar option, or all options of the command. */
async function describeUnknownOption(message: string, { usage }: Command): Promise<string | undefined> {
  const [, option] = /^Unknown option '(--?[^']*)'/.exec(message) ?? [];
  if (option === undefined) return undefined;
  const isSimilarName = await loadIsSimilarName();
  const known = [...new Set(usage.match(/--[a-z][a-z-]*/g))];
  const similar = known.find((one) => isSimilarName(option, one) || (option.length > 4 && one.startsWith(option)));
  if (similar !== undefined) return `Unknown option ${option}. Did you mean ${similar}?`;
  const others = known.length === 0 ? '' : ` This command has ${known.join(', ')}.`;
  return `Unknown option ${option}.${others} To pass a value that starts with "-", put it after "--".`;
}

const isHelpFlag = (word: string) => word === '--help' || word === '-h';

/**
 * For arguments that name no command. Lists the commands that start with the same words: on stdout for `--help`, otherwise as an
 * error with exit code 2. If there are none, the error says only where all commands are: a list of all would scroll it away.
 */
async function printFamilyHelp(
  args: readonly string[],
  commands: readonly Command[],
  terminal: Terminal,
): Promise<ExitCode> {
  const optionsAt = args.findIndex((word) => word.startsWith('-'));
  const words = optionsAt === -1 ? args : args.slice(0, optionsAt);
  const startingWith = (count: number) =>
    commands.filter(({ name }) => name.startsWith(`${words.slice(0, count).join(' ')} `));
  const known = [2, 1].find((count) => count <= words.length && startingWith(count).length > 0) ?? 0;
  const family = known === 0 ? [] : startingWith(known);
  const isIncomplete = known > 0 && words.length === known;
  if (isIncomplete && args.some(isHelpFlag)) {
    terminal.stdout(commandList(family, terminal.columns));
    return 0;
  }
  const written = words.slice(0, known === 0 ? 2 : known + 1);
  const names = commands.map(({ name }) => name);
  const nearest = isIncomplete ? undefined : nearestCommand(written, names, await loadIsSimilarName());
  const relatives = commands.filter(({ name }) => name.split(' ')[0] === nearest?.split(' ')[0]);
  const problem = isIncomplete ? 'Incomplete' : 'Unknown';
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  const listed = nearest === undefined ? family : relatives;
  const list = listed.length > 0 ? `\n${commandList(listed, terminal.columns)}` : allCommandsHint;
  terminal.stderr(`${problem} command "${written.join(' ')}".${hint}\n${list}`);
  return 2;
}

const allCommandsHint = 'Run "citizen-services help" for all commands.\n';

/** Loaded only for a wrong name. */
async function loadIsSimilarName() {
  return (await import('../api/validate-request.ts')).isSimilarName;
}

/** The command whose name the arguments start with. */
export function findCommand(args: readonly string[], commands: readonly Command[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, index) => args[index] === word));
}

/** Throws if there are arguments: for commands without any. */
export function requireNoArguments(args: readonly string[]): void {
  parseArgs({ args, options: {} });
}

/** The only argument of a command without options. `expected` names it in the `UsageError`, such as `one file`. */
export function singleArgument(args: readonly string[], expected: string): string {
  return singlePositional(parseArgs({ args, options: {}, allowPositionals: true }).positionals, expected);
}

/** The only argument besides the options. `expected` names it in the `UsageError`, such as `one file`. */
export function singlePositional(positionals: readonly string[], expected: string): string {
  const [only, ...others] = positionals;
  if (only === undefined || others.length > 0) throw wrongArgument(expected, positionals);
  return only;
}

/** The error for wrong arguments besides the options. */
export function wrongArgument(expected: string, received: readonly string[]): UsageError {
  return new UsageError(`Expected ${expected}, received ${received.map(quoted).join(' ') || 'nothing'}.`);
}

/** The error for the value of an option; `received` is undefined if the option is absent. */
export function wrongOption(option: string, expected: string, received: string | undefined): UsageError {
  return new UsageError(`${option}: expected ${expected}, received ${quoted(received)}.`);
}

const quoted = (text: string | undefined) => (text === undefined ? 'nothing' : JSON.stringify(text));

/** Node.js appends this to the error for a certificate of an unknown authority. */
const unknownAuthorityHint = '; if the root CA is installed locally, try running Node.js with --use-system-ca';

/** The finding and the fix for the error of an unknown certificate authority; undefined for other messages. */
export function explainUnknownAuthority(message: string): { readonly found: string; readonly fix: string } | undefined {
  if (!message.includes(unknownAuthorityHint)) return undefined;
  const fix = 'if your own authority issued it, set NODE_EXTRA_CA_CERTS: docs/operate/proxy.md#authorities';
  return { found: message.replace(unknownAuthorityHint, ''), fix };
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isParseArgsFault(fault: unknown): fault is Error {
  return fault instanceof Error && 'code' in fault && String(fault.code).startsWith('ERR_PARSE_ARGS');
}
