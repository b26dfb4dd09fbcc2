/** One option of a command, as `--help` and the command reference show it. */
export type CommandOption = {
  /** The option with its value, such as `--quota N`. */
  readonly form: string;
  readonly meaning: string;
  /** Absent if the option has no default value. */
  readonly defaultValue?: string;
};

/** The texts about a command. */
export type CommandDescription = {
  /** Such as `clients create`. */
  readonly name: string;
  readonly usage: string;
  /** One sentence of at most 25 words. */
  readonly summary: string;
  /** All options of the usage, in its order. */
  readonly options?: readonly CommandOption[];
  /** Paragraphs, separated by an empty line. A paragraph that starts with two spaces is shown without changes. */
  readonly notes?: string;
  /** The arguments of an example, such as `clients list --json`. */
  readonly example?: string;
};

/** The headings of the list of commands, with the first words of the commands below each. */
const groups: Readonly<Record<string, readonly string[]>> = {
  Server: ['demo', 'start', 'doctor', 'health', 'clock', 'version'],
  Citizens: ['citizens', 'contacts'],
  'Matching policies': ['policies'],
  Clients: ['clients', 'webhooks'],
  Notifications: ['notifications', 'letters', 'evidence'],
  Documents: ['documents', 'holds', 'retention-classes'],
  Ledger: ['ledger', 'witness'],
  Keys: ['keys'],
  Backups: ['backup'],
};

type CommandGroup = { readonly title: string; readonly commands: readonly CommandDescription[] };

/** The commands below their headings. The last group has the commands without a heading. */
export function groupCommands(commands: readonly CommandDescription[]): readonly CommandGroup[] {
  const firstWord = ({ name }: CommandDescription) => name.split(' ')[0] ?? name;
  const known = Object.values(groups).flat();
  const grouped = Object.entries(groups).map(([title, words]) => ({
    title,
    commands: words.flatMap((word) => commands.filter((command) => firstWord(command) === word)),
  }));
  const others = commands.filter((command) => !known.includes(firstWord(command)));
  return [...grouped, { title: 'Other', commands: others }].filter((group) => group.commands.length > 0);
}

const defaultColumns = 80;
/** Longer terms have their text on the next line. */
const maxTermLength = 24;
/** Text next to a term is never narrower, also on a narrow terminal. */
const minTextWidth = 24;

/** The list of commands with their summaries, below headings. */
export function commandList(commands: readonly CommandDescription[], columns = defaultColumns): string {
  const width = longestTerm(commands.map(({ name }) => name));
  const lists = groupCommands(commands).map(({ title, commands: members }) => {
    const terms = members.map(({ name, summary }) => termText(name, summary, { width, columns }));
    return `${title}\n${terms.join('')}`;
  });
  const hint =
    'Run "citizen-services COMMAND --help" for the options of a command. Settings are environment variables: docs/reference/settings.md.';
  return `Usage: citizen-services COMMAND\n\n${lists.join('\n')}\n${wrapWords(hint, columns).join('\n')}\n`;
}

/** The help of one command: usage, summary, options, notes and an example. */
export function commandHelp({ usage, summary, ...more }: CommandDescription, columns = defaultColumns): string {
  const { options = [], notes, example } = more;
  const width = longestTerm(options.map(({ form }) => form));
  const optionTexts = options.map((option) => termText(option.form, optionMeaning(option), { width, columns }));
  const parts = [
    `${usageLines({ usage }, columns)}\n`,
    `${wrapWords(summary, columns).join('\n')}\n`,
    ...(options.length === 0 ? [] : [`Options\n${optionTexts.join('')}`]),
    ...paragraphsOf(notes)
      .map((text) => (isPreformatted(text) ? text : wrapWords(text, columns).join('\n')))
      .map((text) => `${text}\n`),
    ...(example === undefined ? [] : [`Example\n  citizen-services ${example}\n`]),
  ];
  return parts.join('\n');
}

/** The meaning of an option, with its default value. */
function optionMeaning({ meaning, defaultValue }: CommandOption): string {
  return defaultValue === undefined ? meaning : `${meaning} Default: ${defaultValue}.`;
}

/** The paragraphs of notes. */
export function paragraphsOf(notes: string | undefined): readonly string[] {
  return notes === undefined ? [] : notes.split('\n\n');
}

/** Whether a paragraph of notes is a table or a program, which is not wrapped. */
export function isPreformatted(paragraph: string): boolean {
  return paragraph.startsWith('  ');
}

const longestTerm = (terms: readonly string[]) =>
  Math.max(0, ...terms.map(({ length }) => length).filter((length) => length <= maxTermLength));

/** A term and its text: in two columns, or below each other if the term is long. */
function termText(
  term: string,
  text: string,
  { width, columns }: { readonly width: number; readonly columns: number },
): string {
  const indent = ' '.repeat(width + 4);
  const lines = wrapWords(text, Math.max(columns - indent.length, minTextWidth));
  const start = term.length > width ? `  ${term}\n${indent}` : `  ${term.padEnd(width)}  `;
  return `${start}${lines.join(`\n${indent}`)}\n`;
}

/** The usage of one command, for its help and for an error. */
export function usageLines({ usage }: Pick<CommandDescription, 'usage'>, columns = defaultColumns): string {
  return wrapUsage(`Usage: citizen-services ${usage}`, columns);
}

/** Breaks a usage between its arguments; an argument in brackets stays whole. */
function wrapUsage(usage: string, columns: number): string {
  const words = usage.match(/\[[^\]]*\]|\([^)]*\)|\S+/g) ?? [];
  return fillLines(words, columns - 2).join('\n  ');
}

/** The lines of a text that are at most `width` characters long, except for longer words. */
function wrapWords(text: string, width: number): string[] {
  return fillLines(text.split(/\s+/), width);
}

function fillLines(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
