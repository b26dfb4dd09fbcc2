import { blocksOf, type MessageContent } from '../notification/message-content.ts';
import { hasMarkup, type InlineRun, type MarkdownBlock } from '../text/markdown.ts';

/**
 * Renders a message as plain text, for text messages and the text of a mail. It drops the Markdown characters, which a screen reader would
 * spell and a gateway would charge. A message without Markdown stays unchanged.
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

/** A URL is put between `<` and `>` (RFC 3986, appendix C), so that no program takes the following text as part of it. */
function plainRun({ text, href }: InlineRun): string {
  return href === undefined || href === text ? text : `${text} <${href}>`;
}
