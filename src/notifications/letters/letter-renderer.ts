import type { LetterFault } from './letter-process.ts';
import { startTypesetter, type Typesetter, type TypesetterFolders, TypesetterUnavailable } from './typesetter.ts';

/** Renders letters as tagged PDF (PDF/UA-1). */
export type LetterRenderer = {
  /** The PDF, or why the letter cannot be rendered. Rejects if the typesetter failed; the caller may try again. `at` is in ms. */
  render(data: string, at: number): Promise<Uint8Array | LetterFault>;
  close(): Promise<void>;
};

/** The typesetter process is replaced after this many letters, because its memory grows. */
const defaultLettersPerProcess = 500;
/** How long a letter waits for those before it. */
const queueTimeoutMs = 60_000;

type QueuedLetter = PromiseWithResolvers<Uint8Array | LetterFault> & { readonly data: string; readonly at: number };

type LetterRendererOptions = TypesetterFolders & { readonly lettersPerProcess?: number };

/** Creates the renderer. It renders one letter at a time, and starts its process with the first one. */
export function createLetterRenderer({
  lettersPerProcess = defaultLettersPerProcess,
  ...folders
}: LetterRendererOptions = {}): LetterRenderer {
  const waiting = new Map<QueuedLetter, NodeJS.Timeout>();
  let current: Typesetter | undefined;
  let previous: Promise<void> | undefined;
  let rendered = 0;
  let isDraining = false;

  function dequeue(letter: QueuedLetter): void {
    clearTimeout(waiting.get(letter));
    waiting.delete(letter);
  }

  function currentTypesetter(): Typesetter {
    if (current?.isOpen() === true && rendered < lettersPerProcess) return current;
    previous = current?.close();
    current = startTypesetter(folders);
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
        letter.reject(new TypesetterUnavailable('the typesetter was busy with other letters for too long'));
      };
      waiting.set(letter, setTimeout(onTimeout, queueTimeoutMs));
      void drain();
      return letter.promise;
    },
    close: async () => {
      for (const letter of [...waiting.keys()]) {
        dequeue(letter);
        letter.reject(new TypesetterUnavailable('the typesetter was closed'));
      }
      await Promise.all([previous, current?.close()]);
    },
  };
}
