import type { MessagePort } from 'node:worker_threads';
import type { WriterBatch } from './sqlite-writer.ts';

/** A mark in the text of a statement that the writer of SQLite heeds: `wiping` takes away for good, `spilling` may write whole tables anew. */
export type StatementOption = keyof typeof optionComments;

const optionComments = { wiping: '/* wipe */', spilling: '/* spills */' } as const;

/** A thread that writes: its port, the texts it has sent, and which of them have a mark. */
export type WriterClient = {
  readonly port: MessagePort;
  readonly texts: string[];
  readonly textsWithOption: Readonly<Record<StatementOption, Set<number>>>;
};
export type ClientBatch = { readonly client: WriterClient; readonly batch: WriterBatch };

/** A thread that has sent nothing yet. */
export function createWriterClient(port: MessagePort): WriterClient {
  return { port, texts: [], textsWithOption: { wiping: new Set(), spilling: new Set() } };
}

/** Keeps the texts of a batch that its sender had not sent before. */
export function rememberTexts({ client: { texts, textsWithOption }, batch }: ClientBatch): void {
  for (const text of batch.texts) {
    for (const mark of ['wiping', 'spilling'] as const)
      if (text.includes(optionComments[mark])) textsWithOption[mark].add(texts.length);
    texts.push(text);
  }
}

/** Whether a statement with that mark is in what was sent. */
export function hasStatementOption(sent: readonly ClientBatch[], mark: StatementOption): boolean {
  return sent.some(({ client, batch }) => {
    const textsWithOption = client.textsWithOption[mark];
    return textsWithOption.size > 0 && batch.units.some((unit) => unit.some(([text]) => textsWithOption.has(text)));
  });
}
