import type { LetterFault } from './letter-process.ts';
import { startTypesetter, type Typesetter } from './typesetter.ts';

/** Sets letters as tagged PDF (PDF/UA-1). */
export type LetterPress = {
  /** The PDF, or why the letter cannot be set. Rejects when the press broke; the same letter can be set again. */
  set(data: string, at: number): Promise<Uint8Array | LetterFault>;
  close(): Promise<void>;
};

/** A typesetter is replaced after so many letters: it keeps memory. */
const lettersPerChild = 500;
/** A letter waits so long for those before it. */
const waitWithinMs = 60_000;

type Waiting = PromiseWithResolvers<Uint8Array | LetterFault> & { readonly data: string; readonly at: number };

type LetterPressOptions = {
  /** A folder of fonts (.ttf, .otf) for what the fonts that come along cannot show. */
  readonly fonts?: string | undefined;
  readonly perChild?: number;
};

/** Letters are set one after the other. No process is started before the first. */
export function createLetterPress({ fonts, perChild = lettersPerChild }: LetterPressOptions = {}): LetterPress {
  const waiting = new Map<Waiting, NodeJS.Timeout>();
  let present: Typesetter | undefined;
  let former: Promise<void> | undefined;
  let [taken, working] = [0, false];

  function takeOut(letter: Waiting): void {
    clearTimeout(waiting.get(letter));
    waiting.delete(letter);
  }

  function typesetter(): Typesetter {
    if (present?.isOpen() === true && taken < perChild) return present;
    former = present?.close();
    present = startTypesetter(fonts);
    taken = 0;
    return present;
  }

  async function work(): Promise<void> {
    if (working) return;
    working = true;
    for (let [letter] = waiting.keys(); letter !== undefined; [letter] = waiting.keys()) {
      takeOut(letter);
      const { data, at, resolve, reject } = letter;
      try {
        const setting = typesetter().set({ data, at: Math.floor(at / 1_000) });
        taken += 1;
        resolve(await setting);
      } catch (fault) {
        reject(fault);
      }
    }
    working = false;
  }

  return {
    set: (data, at) => {
      const letter = { data, at, ...Promise.withResolvers<Uint8Array | LetterFault>() };
      const late = () => {
        takeOut(letter);
        letter.reject(new Error('the typesetter had other letters for too long'));
      };
      waiting.set(letter, setTimeout(late, waitWithinMs));
      void work();
      return letter.promise;
    },
    close: async () => {
      for (const letter of [...waiting.keys()]) {
        takeOut(letter);
        letter.reject(new Error('the press was closed'));
      }
      await Promise.all([former, present?.close()]);
    },
  };
}
