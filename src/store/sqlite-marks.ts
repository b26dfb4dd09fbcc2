import type { MessagePort } from 'node:worker_threads';
import type { SentBatch } from './sqlite-writer.ts';

/** A mark in the text of a statement that the writer of SQLite heeds: `wiping` takes away for good, `spilling` may write whole tables anew. */
export type Mark = keyof typeof marks;

const marks = { wiping: '/* wipe */', spilling: '/* spills */' } as const;

/** A thread that writes: its port, the texts it has sent, and which of them have a mark. */
export type Sender = {
  readonly port: MessagePort;
  readonly texts: string[];
  readonly marked: Readonly<Record<Mark, Set<number>>>;
};
export type Sent = { readonly sender: Sender; readonly batch: SentBatch };

/** A thread that has sent nothing yet. */
export function newSender(port: MessagePort): Sender {
  return { port, texts: [], marked: { wiping: new Set(), spilling: new Set() } };
}

/** Keeps the texts of a batch that its sender had not sent before. */
export function learn({ sender: { texts, marked }, batch }: Sent): void {
  for (const text of batch.texts) {
    for (const mark of ['wiping', 'spilling'] as const) if (text.includes(marks[mark])) marked[mark].add(texts.length);
    texts.push(text);
  }
}

/** Whether a statement with that mark is in what was sent. */
export function holds(sent: readonly Sent[], mark: Mark): boolean {
  return sent.some(({ sender, batch }) => {
    const marked = sender.marked[mark];
    return marked.size > 0 && batch.units.some((unit) => unit.some(([text]) => marked.has(text)));
  });
}
