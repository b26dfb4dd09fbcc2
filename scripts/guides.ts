import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Marked, type RendererObject } from 'marked';

/** One page of docs/ that the server serves under /docs/guide: its name in the URL, its title, and its content as HTML. */
export type Guide = { readonly name: string; readonly title: string; readonly html: string };

/** The served pages in the order of the list of guides. */
const guidePaths = [
  'docs/integrate/quick-start.md',
  'docs/concepts.md',
  'docs/integrate/access.md',
  'docs/integrate/verify.md',
  'docs/integrate/wallets.md',
  'docs/integrate/send.md',
  'docs/integrate/batches.md',
  'docs/integrate/documents.md',
  'docs/integrate/webhooks.md',
  'docs/integrate/errors.md',
  'docs/integrate/limits.md',
  'docs/integrate/testing.md',
  'docs/integrate/sandbox.md',
  'docs/integrate/collections.md',
  'docs/integrate/client.md',
  'docs/integrate/oauth-libraries.md',
  'docs/integrate/receipts.md',
  'docs/integrate/going-live.md',
  'docs/integrate/changelog.md',
  'docs/security/evidence.md',
  'docs/security/ledger.md',
  'docs/reference/glossary.md',
];

/** The addresses on the server of pages and files that are not guides. */
const served: Readonly<Record<string, string>> = {
  'docs/reference/endpoints.md': '/docs',
  'docs/reference/openapi.json': '/openapi.json',
  'docs/reference/problems.md': '/problems',
  'docs/README.md': '/docs/guide',
  'docs/integrate/collections/postman.json': '/docs/guide/files/postman.json',
  'docs/integrate/collections/bruno': '/docs/guide/files/bruno.zip',
  'docs/integrate/sandbox/people.jsonl': '/docs/guide/files/people.jsonl',
  'docs/integrate/sandbox/questions.json': '/docs/guide/files/questions.json',
};

const nameOf = (path: string) => path.replace(/^.*\//, '').replace(/\.md$/, '');

/** The content of src/web/guides.json: all guides of the repository at `root`. */
export function renderGuides(root: string): string {
  const paths = guidePaths.filter((path) => existsSync(join(root, path)));
  const guides = paths.map((path) => renderGuide(path, readFileSync(join(root, path), 'utf8')));
  return `${JSON.stringify(guides, null, 1)}\n`;
}

/** One Markdown page of the repository as a guide. Its first heading is the title. Diagrams are left out: the pages have no script. */
export function renderGuide(path: string, markdown: string): Guide {
  const [, title = nameOf(path)] = /^# (.+)$/m.exec(markdown) ?? [];
  const body = markdown.replace(/^# .+\n/m, '').replaceAll(/^```mermaid\n[\s\S]*?^```\n/gm, '');
  const marked = new Marked({ gfm: true, renderer: rendererFor(path) });
  return { name: nameOf(path), title, html: marked.parse(body, { async: false }).trim() };
}

function rendererFor(path: string): RendererObject {
  let tables = 0;
  return {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const address = addressOf(path, href);
      return address === undefined ? text : `<a href="${escapeHtml(address)}">${text}</a>`;
    },
    code({ text }) {
      return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
    },
    table({ header, rows }) {
      tables += 1;
      const cells = (row: typeof header, tag: 'th scope="col"' | 'td') =>
        row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag.slice(0, 2)}>`).join('');
      const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
      return `<div role="region" aria-label="Table ${tables}" tabindex="0"><table><thead><tr>${cells(header, 'th scope="col"')}</tr></thead><tbody>${body}</tbody></table></div>\n`;
    },
  };
}

/** The anchor of a heading, as on GitHub: the tests of the documentation use the same rule. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** The address of a link on the server; undefined if the server does not serve its page. */
function addressOf(page: string, href: string): string | undefined {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href;
  const [file = '', anchor] = href.split('#');
  const target = normalize(join(dirname(page), file));
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (guidePaths.includes(target)) return `/docs/guide/${nameOf(target)}${hash}`;
  return served[target];
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
