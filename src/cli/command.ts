import { parseArgs } from 'node:util';
import { explainUnknownAuthority } from './unknown-authority.ts';

/** Where a command writes: data to `stdout`, people's text to `stderr`. */
export type Terminal = {
  /** `otherwise`, of what is printed this once: what people are told where it cannot be written; the exit code is 1 then. */
  readonly stdout: (text: string, otherwise?: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether a person looks at standard error; without one there is no bar and no colour. */
  readonly isInteractive: boolean;
  /** The folder that relative paths in the arguments start from. */
  readonly cwd: string;
  /** Whether nobody reads the data any more; where a server runs the command for another process, whether that one has ended. */
  readonly hasLeft?: () => boolean;
  /** There: resolves when that one has taken what was written, or has ended. Who writes much waits for it, page by page. */
  readonly drained?: () => Promise<void>;
};

class CallerLeft extends Error {}

/** Ends a command that takes long, where nothing is by half, once whoever ran it was stopped or reads no more; nobody is told. */
export function requireCaller({ hasLeft }: Terminal): void {
  if (hasLeft?.() === true) throw new CallerLeft('whoever ran this command was stopped');
}

/** What a command ends with: done, failed, wrong usage. */
export type ExitCode = 0 | 1 | 2;

/** One command of the command line, as help shows it. `run` gets the arguments behind its name. */
export type Command = {
  /** The words that call it, as `clients create`. */
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** What `--help` shows below the summary. */
  readonly details?: string;
  run(args: readonly string[]): Promise<ExitCode>;
};

/** Wrong usage, with what to write instead; ends in exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** A file that the arguments name cannot be read, or not written, by the process that runs the command. */
export class FileUsageError extends UsageError {}

const serverReadsHint =
  'It was the running server that looked, as its user, and within what its unit lets it see: often neither /tmp nor /home.\n';

/** Finds and runs the command that the arguments name; prints help where they name none. */
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
      // Only a server that runs a command for another process can wait for that one.
      const isElsewhere = fault instanceof FileUsageError && terminal.drained !== undefined;
      const message = (await describeUnknownOption(fault.message, command)) ?? fault.message;
      terminal.stderr(`${message}\n${isElsewhere ? serverReadsHint : ''}Usage: citizen-services ${command.usage}\n`);
      return 2;
    }
    const message = fault instanceof Error ? fault.message : String(fault);
    const unknown = explainUnknownAuthority(message);
    terminal.stderr(unknown === undefined ? `${message}\n` : `${unknown.found}: ${unknown.fix}\n`);
    return 1;
  }
}

/** Of an option that the command does not have: the one that is meant, or those that there are. */
async function describeUnknownOption(message: string, { usage }: Command): Promise<string | undefined> {
  const [, given] = /^Unknown option '(--?[^']*)'/.exec(message) ?? [];
  if (given === undefined) return undefined;
  // No command needs it that is used as it should be.
  const { isSimilarName } = await import('../api/validate-request.ts');
  const known = [...new Set(usage.match(/--[a-z][a-z-]*/g))];
  const similar = known.find((one) => isSimilarName(given, one) || (given.length > 4 && one.startsWith(given)));
  if (similar !== undefined) return `There is no option ${given}; did you mean ${similar}?`;
  const others = known.length === 0 ? '' : `; there are ${known.join(', ')}`;
  return `There is no option ${given}${others}. What begins with - and is none stands behind --.`;
}

const isHelpFlag = (word: string) => word === '--help' || word === '-h';

/** Shows the commands that begin with the same word, or all: as help where that was asked for, as what is wrong otherwise. */
function printCommandHelp(args: readonly string[], commands: readonly Command[], terminal: Terminal): ExitCode {
  const named = args.filter((word) => !isHelpFlag(word));
  const related = commands.filter(({ name }) => name.startsWith(`${named[0]} `));
  if (related.length > 0 && named.length === 1 && args.length > 1) {
    terminal.stdout(helpText(related));
    return 0;
  }
  const said = `There is no command '${named.slice(0, 2).join(' ')}'.`;
  terminal.stderr(`${said}\n\n${helpText(related.length > 0 ? related : commands)}`);
  return 2;
}

/** The command that the arguments begin with. */
export function findCommand(args: readonly string[], commands: readonly Command[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, index) => args[index] === word));
}

/** Refuses all arguments, for a command that has none. */
export function requireNoArguments(args: readonly string[]): void {
  parseArgs({ args: [...args], options: {} });
}

/** The one argument of a command that has no flags. */
export function singleArgument(args: readonly string[], otherwise: string): string {
  return singlePositional(parseArgs({ args: [...args], options: {}, allowPositionals: true }).positionals, otherwise);
}

/** The one argument that stands beside the flags. */
export function singlePositional(positionals: readonly string[], otherwise: string): string {
  const [only, ...others] = positionals;
  if (only === undefined || others.length > 0) throw new UsageError(otherwise);
  return only;
}

function isParseArgsFault(fault: unknown): fault is Error {
  return fault instanceof Error && 'code' in fault && String(fault.code).startsWith('ERR_PARSE_ARGS');
}

/** The list of all commands: their names, and the first line of what they do. */
function helpText(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary.split('\n', 1)[0]}`);
  return `citizen-services COMMAND\n\n${lines.join('\n')}\n\nCOMMAND --help tells more. Settings come from the environment: docs/settings.md.\n`;
}
