import type { Block, Inline, Item } from './markdown.ts';

/** The page of a mail: nothing is loaded from elsewhere, no script, no picture; every text is escaped. */
export function messageHtml(page: {
  readonly title: string;
  readonly language: string | undefined;
  readonly blocks: readonly Block[];
  readonly footer: readonly string[];
  /** What we add below the text, in words of that language. */
  readonly ours?: Ours;
}): string {
  const language = page.language === undefined ? '' : ` lang="${escapeHtml(page.language)}"`;
  const ours = page.ours === undefined ? '' : oursHtml(page.ours);
  const footer = page.footer.map(escapeHtml).join('<br>');
  return `<!doctype html>
<html${language} dir="auto"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(page.title)}</title></head>
<body style="font:16px/1.5 sans-serif;max-width:40em;margin:1em;overflow-wrap:anywhere">
${page.blocks.map(blockHtml).join('\n')}
${ours}<hr><p dir="auto">${footer}</p>
</body></html>
`;
}

type Ours = {
  readonly language: string;
  readonly attached?: { readonly text: string; readonly titles: readonly string[] };
  readonly link?: { readonly text: string; readonly href: string };
};

function oursHtml({ language, attached, link }: Ours): string {
  const p = `<p lang="${escapeHtml(language)}" dir="auto">`;
  const items = attached?.titles.map((title) => `<li dir="auto">${escapeHtml(title)}</li>`).join('');
  const list = attached === undefined ? '' : `${p}${escapeHtml(attached.text)}</p>\n<ul>${items}</ul>\n`;
  const a = link === undefined ? '' : `<a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a>`;
  return a === '' ? list : `${list}${p}${a}</p>\n`;
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'heading': {
      const name = `h${block.level}`;
      return `<${name} dir="auto">${lineHtml(block.line)}</${name}>`;
    }
    case 'paragraph':
      return `<p dir="auto">${block.lines.map(lineHtml).join('<br>\n')}</p>`;
    case 'list':
      return block.ordered
        ? orderedHtml(block.items)
        : `<ul dir="auto">${block.items.map(({ line }) => `<li>${lineHtml(line)}</li>`).join('')}</ul>`;
  }
}

/** Every item shows its own number; what the browser would count by itself is left out. */
function orderedHtml(items: readonly Item[]): string {
  const first = items[0]?.number ?? 1;
  let next = first;
  const rows = items.map(({ number = next, line }) => {
    const value = number === next ? '' : ` value="${number}"`;
    next = number + 1;
    return `<li${value}>${lineHtml(line)}</li>`;
  });
  return `<ol${first === 1 ? '' : ` start="${first}"`} dir="auto">${rows.join('')}</ol>`;
}

function lineHtml(line: readonly Inline[]): string {
  return line.map(inlineHtml).join('');
}

/** A link shows the host that it leads to, so that its text cannot pretend another one. */
function inlineHtml({ text, strong, href }: Inline): string {
  // A value of a template may have several lines.
  const shown = escapeHtml(text).replaceAll(/\r\n?|\n/g, '<br>\n');
  if (href === undefined) return strong ? `<strong>${shown}</strong>` : shown;
  const link = `<a href="${escapeHtml(href)}" rel="noopener noreferrer">${shown}</a>`;
  return text === href ? link : `${link} (${escapeHtml(new URL(href).host)})`;
}

/** Text as it may stand in HTML, in an element or between double quotes. */
function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, (character) => names[character] ?? character);
}
