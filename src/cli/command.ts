import { parseArgs } from 'node:util';

/** Where a command writes: data to `stdout`, messages for people to `stderr`. */
export type Terminal = {
  /** `otherwise` is printed to `stderr` if the text cannot be written; the exit code is then 1. Use it for text that is shown only once. */
  readonly stdout: (text: string, otherwise?: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether standard error is a terminal. If not, there are no progress bars and no colours. */
  readonly isInteractive: boolean;
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
export type Command = {
  /** Such as `clients create`. */
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** `--help` shows it below the summary. */
  readonly details?: string;
  run(args: readonly string[]): Promise<ExitCode>;
};

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
    terminal.stdout(helpText(commands));
    return 0;
  }
  const command = findCommand(args, commands);
  if (command === undefined) return printCommandHelp(args, commands, terminal);
  const rest = args.slice(command.name.split(' ').length);
  if (rest.some(isHelpFlag)) {
    const details = command.details === undefined ? '' : `\n${command.details}\n`;
    terminal.stdout(`${command.usage}\n\n${command.summary}\n${details}`);
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
      terminal.stderr(`${message}\n${isElsewhere ? serverReadsHint : ''}Usage: citizen-services ${command.usage}\n`);
      return 2;
    }
    const message = messageOf(fault);
    const unknown = explainUnknownAuthority(message);
    terminal.stderr(unknown === undefined ? `${message}\n` : `${unknown.found}: ${unknown.fix}\n`);
    return 1;
  }
}

/** The message for an unknown option: the similar option, or all options of the command. */
async function describeUnknownOption(message: string, { usage }: Command): Promise<string | undefined> {
  const [, option] = /^Unknown option '(--?[^']*)'/.exec(message) ?? [];
  if (option === undefined) return undefined;
  // Loaded here because correct usage does not need it.
  const { isSimilarName } = await import('../api/validate-request.ts');
  const known = [...new Set(usage.match(/--[a-z][a-z-]*/g))];
  const similar = known.find((one) => isSimilarName(option, one) || (option.length > 4 && one.startsWith(option)));
  if (similar !== undefined) return `Unknown option ${option}. Did you mean ${similar}?`;
  const others = known.length === 0 ? '' : ` This command has ${known.join(', ')}.`;
  return `Unknown option ${option}.${others} To pass a value that starts with "-", put it after "--".`;
}

const isHelpFlag = (word: string) => word === '--help' || word === '-h';

/** Lists the commands with the same first word, otherwise all: on stdout for `--help`, otherwise as an error with exit code 2. */
function printCommandHelp(args: readonly string[], commands: readonly Command[], terminal: Terminal): ExitCode {
  const named = args.filter((word) => !isHelpFlag(word));
  const related = commands.filter(({ name }) => name.startsWith(`${named[0]} `));
  if (related.length > 0 && named.length === 1 && args.length > 1) {
    terminal.stdout(helpText(related));
    return 0;
  }
  const message = `Unknown command '${named.slice(0, 2).join(' ')}'.`;
  terminal.stderr(`${message}\n\n${helpText(related.length > 0 ? related : commands)}`);
  return 2;
}

/** The command whose name the arguments start with. */
export function findCommand(args: readonly string[], commands: readonly Command[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, index) => args[index] === word));
}

/** Throws if there are arguments: for commands without any. */
export function requireNoArguments(args: readonly string[]): void {
  parseArgs({ args, options: {} });
}

/** The only argument of a command without flags; throws a `UsageError` with the given message. */
export function singleArgument(args: readonly string[], message: string): string {
  return singlePositional(parseArgs({ args, options: {}, allowPositionals: true }).positionals, message);
}

/** The only argument besides the flags; throws a `UsageError` with the given message. */
export function singlePositional(positionals: readonly string[], message: string): string {
  const [only, ...others] = positionals;
  if (only === undefined || others.length > 0) throw new UsageError(message);
  return only;
}

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

/** One line for each command: its name and the first line of its summary. */
function helpText(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary.split('\n', 1)[0]}`);
  return `citizen-services COMMAND\n\n${lines.join('\n')}\n\nRun COMMAND --help for details. Settings are environment variables: docs/reference/settings.md.\n`;
}
