import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the repository. */
export const repositoryRoot: string = join(import.meta.dirname, '../..');

/** A block of a page between fences: its info string (`sh demo`) and its lines. */
type CodeFence = { readonly info: string; readonly text: string };

/** A parsed page: `prose` is the text outside fences, `codeSpans` the inline code in it. */
export type MarkdownPage = {
  readonly path: string;
  readonly text: string;
  readonly prose: string;
  readonly fences: readonly CodeFence[];
  readonly codeSpans: readonly string[];
};

const generatedPages = [
  'docs/reference/settings.md',
  'docs/reference/problems.md',
  'docs/reference/endpoints.md',
  'docs/reference/commands.md',
];

/** All pages that are not generated. */
export function handwrittenPages(): readonly MarkdownPage[] {
  return globSync(['*.md', 'docs/**/*.md', 'client/*.md'], { cwd: repositoryRoot })
    .filter((path) => !generatedPages.includes(path))
    .sort()
    .map(readMarkdownPage);
}

/** The pages of a folder below docs/, in the order of their names. */
export function pagesIn(folder: string): readonly MarkdownPage[] {
  return globSync(`docs/${folder}/*.md`, { cwd: repositoryRoot }).sort().map(readMarkdownPage);
}

/** One page of the repository, by its path in it. */
export function readMarkdownPage(path: string): MarkdownPage {
  const text = readFileSync(join(repositoryRoot, path), 'utf8');
  const fences: CodeFence[] = [];
  const prose = text.replaceAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm, (_whole, info: string, inner: string) => {
    fences.push({ info: info.trim(), text: inner });
    return '';
  });
  const codeSpans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span.replaceAll('\\|', '|'));
  return { path, text, prose, fences, codeSpans };
}

/** The text of all fences with exactly this info string, joined in their order. */
export function fencedText(page: MarkdownPage, info: string): string {
  return page.fences
    .filter((fence) => fence.info === info)
    .map((fence) => fence.text)
    .join('\n');
}
