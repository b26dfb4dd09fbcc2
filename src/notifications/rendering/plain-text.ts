import { blocksOf, type MessageContent } from '../notification/message-content.ts';
import { hasMarkup, type InlineRun, type MarkdownBlock } from '../text/markdown.ts';

/**
 * The message for those who see text alone (text messages, the text of a mail): without the marks of Markdown, which a
 * screen reader would spell and a gateway charge for. Where there are none it stays as it was written.
 */
export function renderPlainText(content: MessageContent): string {
  const blocks = blocksOf(content);
  return hasMarkup(blocks) ? blocks.map(plainBlock).join('\n\n') : content.message;
}

function plainBlock(block: MarkdownBlock): string {
  switch (block.kind) {
    case 'heading':
      return plainLine(block.line);
    case 'paragraph':
      return block.lines.map(plainLine).join('\n');
    case 'list':
      return block.items
        .map(({ number, line }) => `${number === undefined ? '-' : `${number}.`} ${plainLine(line)}`)
        .join('\n');
  }
}

function plainLine(line: readonly InlineRun[]): string {
  return line.map(plainRun).join('');
}

/** An address stands between `<` and `>` (RFC 3986, appendix C): so no program takes what follows for a part of it. */
function plainRun({ text, href }: InlineRun): string {
  return href === undefined || href === text ? text : `${text} <${href}>`;
}
