import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the repository. */
export const repository: string = join(import.meta.dirname, '..');

/** A block of a page between fences: its info string (`sh demo`) and its lines. */
export type Fence = { readonly info: string; readonly text: string };

/** A page for people, taken apart: `prose` is what stands outside fences, `spans` the code within it. */
export type DocumentPage = {
  readonly path: string;
  readonly text: string;
  readonly prose: string;
  readonly fences: readonly Fence[];
  readonly spans: readonly string[];
};

const generated = ['docs/settings.md', 'docs/problems.md', 'docs/endpoints.md'];

/** Every page that is written by hand. */
export function documentPages(): readonly DocumentPage[] {
  return globSync(['*.md', 'docs/**/*.md', 'client/*.md'], { cwd: repository })
    .filter((path) => !generated.includes(path))
    .sort()
    .map(readPage);
}

/** One page of the repository, by its path in it. */
export function readPage(path: string): DocumentPage {
  const text = readFileSync(join(repository, path), 'utf8');
  const fences: Fence[] = [];
  const prose = text.replaceAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm, (_whole, info: string, inner: string) => {
    fences.push({ info: info.trim(), text: inner });
    return '';
  });
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span.replaceAll('\\|', '|'));
  return { path, text, prose, fences, spans };
}

/** The fences of a page whose info string is exactly that, joined in their order. */
export function fencesOf(page: DocumentPage, info: string): string {
  return page.fences
    .filter((fence) => fence.info === info)
    .map((fence) => fence.text)
    .join('\n');
}
