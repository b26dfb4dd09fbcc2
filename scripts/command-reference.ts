import { loadAllCommands } from '../src/app/command-line.ts';
import { type CommandDescription, groupCommands, isPreformatted, paragraphsOf } from '../src/cli/command-help.ts';

/** The page about all commands, from the same objects as `help` and `--help`. */
export async function commandReferencePage(): Promise<string> {
  const nowhere = { stdout: () => undefined, stderr: () => undefined, isInteractive: false, cwd: '/' };
  const groups = groupCommands(await loadAllCommands(nowhere));
  const contents = groups.map(({ title, commands }) => {
    const links = commands.map(({ name }) => `[\`${name}\`](#${anchorOf(name)})`);
    return `- ${title}: ${links.join(', ')}`;
  });
  const sections = groups.map(({ title, commands }) => `## ${title}\n\n${commands.map(commandSection).join('\n')}`);
  return `# Commands

\`citizen-services help\` lists all commands. \`citizen-services COMMAND --help\` shows the usage of one command.
\`npm run generate\` writes this page.

The exit code is 0 after success, 1 after a failure, and 2 for wrong usage. Data are printed on standard output, and messages on
standard error. Arguments in brackets are optional.

${contents.join('\n')}

${sections.join('\n')}`;
}

function commandSection({ name, usage, summary, options = [], notes, example }: CommandDescription): string {
  const rows = options.map(
    ({ form, meaning, defaultValue = '' }) => `| ${code(form)} | ${cell(meaning)} | ${cell(defaultValue)} |`,
  );
  const parts = [
    `### ${name}`,
    summary,
    fence('text', `citizen-services ${usage}`),
    ...(rows.length === 0 ? [] : [`| option | meaning | default |\n|---|---|---|\n${rows.join('\n')}`]),
    ...paragraphsOf(notes).map((text) => (isPreformatted(text) ? fence('text', text) : text)),
    ...(example === undefined ? [] : ['Example:', fence('sh', `citizen-services ${example}`)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

const anchorOf = (name: string) => name.replaceAll(' ', '-');
const fence = (info: string, text: string) => `\`\`\`${info}\n${text}\n\`\`\``;
const cell = (text: string) => text.replaceAll('|', '\\|');
const code = (text: string) => `\`${cell(text)}\``;
