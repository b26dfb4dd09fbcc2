import type { LetterFault } from './letter-process.ts';
import { startTypesetter, type Typesetter } from './typesetter.ts';

/** Sets letters as tagged PDF (PDF/UA-1). */
export type LetterRenderer = {
  /** The PDF, or why the letter cannot be set. Rejects when the press broke; the same letter can be set again. */
  render(data: string, at: number): Promise<Uint8Array | LetterFault>;
  close(): Promise<void>;
};

/** A typesetter is replaced after so many letters: it keeps memory. */
const lettersPerProcess = 500;
/** A letter waits so long for those before it. */
const queueTimeoutMs = 60_000;

type QueuedLetter = PromiseWithResolvers<Uint8Array | LetterFault> & { readonly data: string; readonly at: number };

type LetterRendererOptions = {
  /** A folder of fonts (.ttf, .otf) for what the fonts that come along cannot show. */
  readonly fonts?: string | undefined;
  readonly perChild?: number;
};

/** Letters are set one after the other. No process is started before the first. */
export function createLetterRenderer({
  fonts,
  perChild = lettersPerProcess,
}: LetterRendererOptions = {}): LetterRenderer {
  const waiting = new Map<QueuedLetter, NodeJS.Timeout>();
  let current: Typesetter | undefined;
  let previous: Promise<void> | undefined;
  let [rendered, isDraining] = [0, false];

  function dequeue(letter: QueuedLetter): void {
    clearTimeout(waiting.get(letter));
    waiting.delete(letter);
  }

  function currentTypesetter(): Typesetter {
    if (current?.isOpen() === true && rendered < perChild) return current;
    previous = current?.close();
    current = startTypesetter(fonts);
    rendered = 0;
    return current;
  }

  async function drain(): Promise<void> {
    if (isDraining) return;
    isDraining = true;
    for (let [letter] = waiting.keys(); letter !== undefined; [letter] = waiting.keys()) {
      dequeue(letter);
      const { data, at, resolve, reject } = letter;
      try {
        const rendering = currentTypesetter().render({ data, at: Math.floor(at / 1_000) });
        rendered += 1;
        resolve(await rendering);
      } catch (fault) {
        reject(fault);
      }
    }
    isDraining = false;
  }

  return {
    render: (data, at) => {
      const letter = { data, at, ...Promise.withResolvers<Uint8Array | LetterFault>() };
      const onTimeout = () => {
        dequeue(letter);
        letter.reject(new Error('the typesetter had other letters for too long'));
      };
      waiting.set(letter, setTimeout(onTimeout, queueTimeoutMs));
      void drain();
      return letter.promise;
    },
    close: async () => {
      for (const letter of [...waiting.keys()]) {
        dequeue(letter);
        letter.reject(new Error('the press was closed'));
      }
      await Promise.all([previous, current?.close()]);
    },
  };
}
