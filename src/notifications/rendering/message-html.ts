import { messageDirection } from '../../kernel/text-direction.ts';
import { localeFor } from '../../locales/locale.ts';
import type { InlineRun, ListItem, MarkdownBlock } from '../text/markdown.ts';

/** The parts of a message that is rendered as an HTML page. */
type MessagePage = {
  readonly title: string;
  readonly language: string | undefined;
  readonly blocks: readonly MarkdownBlock[];
  readonly sender: string;
  /** When the message counts as served, sentence by sentence. */
  readonly legal?: readonly string[];
  /** How citizens contact the sender. */
  readonly contact?: readonly { readonly text: string; readonly value: string; readonly href: string }[];
  /** The reference of the sender, and the id that the citizen can quote; absent in a preview. */
  readonly references?: readonly string[];
  /** The titles of its documents, which are in the inbox. */
  readonly attached?: readonly string[];
  /** The link to the message in the inbox, in a mail. */
  readonly inbox?: string | undefined;
  /** The link that confirms the receipt of a mail. */
  readonly confirm?: string | undefined;
  /** The legal effect of that confirmation. */
  readonly linkNote?: string | undefined;
};

/**
 * The page of a mail, and of a message in the inbox: it loads nothing, and has no script and no image. Every text is
 * escaped. Webmail removes `html` and `body`: so an element inside also has the language and style.
 */
export function renderMessageHtml(page: MessagePage): string {
  const language = page.language === undefined ? '' : ` lang="${escapeHtml(page.language)}"`;
  const direction = messageDirection(page.language);
  return `<!doctype html>
<html${language} dir="${direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(page.title)}</title></head>
<body style="margin:1em">
<div${language} dir="${direction}" style="font:16px/1.5 sans-serif;max-width:40em;overflow-wrap:anywhere">
${page.blocks.map(blockHtml).join('\n')}
${footerHtml(page)}
</div></body></html>
`;
}

/**
 * Extracts the message from a page of `renderMessageHtml`, without the footer, with each heading one level lower, for a page with a
 * heading of its own. The last `<hr>` is that of the footer, because no block renders one and every `<` of a text is escaped.
 */
export function extractMessageHtml(page: string): string {
  const blocks = page.slice(page.indexOf('\n', page.indexOf('<div')) + 1, page.lastIndexOf('<hr>')).trim();
  return blocks.replaceAll(/(<\/?h)([1-5])\b/g, (_tag, start: string, level: string) => `${start}${Number(level) + 1}`);
}

function footerHtml(page: MessagePage): string {
  const { sender, legal = [], attached = [], inbox, confirm, linkNote, contact = [], references = [] } = page;
  const { language: textLanguage, message: texts } = localeFor(page.language);
  const paragraph = (content: string) => `<p lang="${escapeHtml(textLanguage)}" dir="auto">${content}</p>`;
  const items = attached.map((title) => `<li dir="auto">${escapeHtml(title)}</li>`).join('');
  return [
    ...(legal.length === 0 ? [] : [paragraph(escapeHtml(legal.join(' ')))]),
    ...(items === '' ? [] : [paragraph(escapeHtml(texts.attachments)), `<ul>${items}</ul>`]),
    ...(inbox === undefined ? [] : [paragraph(inlineHtml({ text: texts.readInInbox, href: inbox }))]),
    ...(confirm === undefined ? [] : [paragraph(inlineHtml({ text: texts.confirmReceipt, href: confirm }))]),
    ...(linkNote === undefined ? [] : [paragraph(escapeHtml(linkNote))]),
    `<hr><p><span dir="auto">${escapeHtml(sender)}</span></p>`,
    ...contact.map((line) => paragraph(contactHtml(line))),
    ...references.map((text) => paragraph(escapeHtml(text))),
  ].join('\n');
}

/** The value is always left to right: otherwise the last slash of a URL would be shown at its start after Arabic words. */
function contactHtml({ text, value, href }: NonNullable<MessagePage['contact']>[number]): string {
  const [before = '', after = ''] = text.split(value).map(escapeHtml);
  return `<a href="${escapeHtml(href)}">${before}<span dir="ltr">${escapeHtml(value)}</span>${after}</a>`;
}

function blockHtml(block: MarkdownBlock): string {
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

/** Every item shows its written number. `value` is set only where the browser would count differently. */
function orderedHtml(items: readonly ListItem[]): string {
  const first = items[0]?.number ?? 1;
  let next = first;
  const rows = items.map(({ number = next, line }) => {
    const value = number === next ? '' : ` value="${number}"`;
    next = number + 1;
    return `<li${value}>${lineHtml(line)}</li>`;
  });
  return `<ol${first === 1 ? '' : ` start="${first}"`} dir="auto">${rows.join('')}</ol>`;
}

function lineHtml(line: readonly InlineRun[]): string {
  return line.map(inlineHtml).join('');
}

/**
 * A link shows its host, so that its text cannot pretend another one. A bare URL is always left to right: otherwise its last slash would
 * be shown at its start after Arabic text.
 */
function inlineHtml({ text, strong, href }: InlineRun): string {
  // A value of a template can have several lines.
  const shown = escapeHtml(text).replaceAll(/\r\n?|\n/g, '<br>\n');
  if (href === undefined) return strong ? `<strong>${shown}</strong>` : shown;
  const isUrl = text === href;
  const link = `<a href="${escapeHtml(href)}" rel="noopener noreferrer"${isUrl ? ' dir="ltr"' : ''}>${shown}</a>`;
  return isUrl ? link : `${link} (${escapeHtml(new URL(href).host)})`;
}

/** Escapes a text for an HTML element or a quoted attribute. */
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
