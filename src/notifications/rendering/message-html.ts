import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { InlineRun, ListItem, MarkdownBlock } from '../text/markdown.ts';

/** A message as a page shows it; what we add is in words of its language. */
type MessagePage = {
  readonly title: string;
  readonly language: string | undefined;
  readonly blocks: readonly MarkdownBlock[];
  readonly sender: string;
  /** The id by which the citizen can ask about it; left out before there is one. */
  readonly notification?: string | undefined;
  /** The titles of the documents that lie in the inbox with it. */
  readonly attached?: readonly string[];
  /** The link to the message in the inbox, in a mail. */
  readonly inbox?: string | undefined;
  /** The link by which the receipt of a mail is confirmed. */
  readonly confirm?: string | undefined;
};

/**
 * The page of a mail, and of a message in the inbox: nothing is loaded from elsewhere, no script, no picture; every text is
 * escaped. Mailboxes in a browser leave out `html` and `body`: language and style stand on an element within as well.
 */
export function renderMessageHtml(page: MessagePage): string {
  const language = page.language === undefined ? '' : ` lang="${escapeHtml(page.language)}"`;
  return `<!doctype html>
<html${language} dir="auto"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(page.title)}</title></head>
<body style="margin:1em">
<div${language} dir="auto" style="font:16px/1.5 sans-serif;max-width:40em;overflow-wrap:anywhere">
${page.blocks.map(blockHtml).join('\n')}
${footerHtml(page)}
</div></body></html>
`;
}

/**
 * The text of a message out of the page that `messageHtml` made of it, without what we add below, for a page that has a heading of
 * its own above: each of the text is one level lower there. No block makes a rule, so that the last one is ours; and every `<` of a text is escaped.
 */
export function extractMessageHtml(page: string): string {
  const blocks = page.slice(page.indexOf('\n', page.indexOf('<div')) + 1, page.lastIndexOf('<hr>')).trim();
  return blocks.replaceAll(/(<\/?h)([1-5])\b/g, (_tag, start: string, level: string) => `${start}${Number(level) + 1}`);
}

function footerHtml({ language, sender, notification, attached = [], inbox, confirm }: MessagePage): string {
  const { language: textLanguage, message: texts } = localeFor(language);
  const p = `<p lang="${escapeHtml(textLanguage)}" dir="auto">`;
  const items = attached.map((title) => `<li dir="auto">${escapeHtml(title)}</li>`).join('');
  const links = [
    ...(inbox === undefined ? [] : [inlineHtml({ text: texts.readInInbox, href: inbox })]),
    ...(confirm === undefined ? [] : [inlineHtml({ text: texts.confirmReceipt, href: confirm })]),
  ];
  const id =
    notification === undefined ? '' : escapeHtml(formatMessage(textLanguage, texts.reference, { id: notification }));
  return [
    ...(items === '' ? [] : [`${p}${escapeHtml(texts.attachments)}</p>`, `<ul>${items}</ul>`]),
    ...links.map((link) => `${p}${link}</p>`),
    `<hr><p dir="auto">${escapeHtml(sender)}</p>`,
    ...(id === '' ? [] : [`${p}${id}</p>`]),
  ].join('\n');
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

/** Every item shows its own number; what the browser would count by itself is left out. */
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
 * A link shows the host that it leads to, so that its text cannot pretend another one. A URL runs from left to right by
 * itself: after Arabic words the slash at its end would stand at its begin.
 */
function inlineHtml({ text, strong, href }: InlineRun): string {
  // A value of a template may have several lines.
  const shown = escapeHtml(text).replaceAll(/\r\n?|\n/g, '<br>\n');
  if (href === undefined) return strong ? `<strong>${shown}</strong>` : shown;
  const isUrl = text === href;
  const link = `<a href="${escapeHtml(href)}" rel="noopener noreferrer"${isUrl ? ' dir="ltr"' : ''}>${shown}</a>`;
  return isUrl ? link : `${link} (${escapeHtml(new URL(href).host)})`;
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
