import { existsSync, readdirSync } from 'node:fs';
import type { Log } from '../../api/log.ts';
import { SettingError, type Settings } from '../../config/settings.ts';
import { parseReturnAddress, returnAddressRequirement } from '../../kernel/return-address.ts';
import type { CheckLetter } from './check-letter.ts';
import type { LetterLayout } from './letter-data.ts';
import type { LetterDeps } from './render-letter.ts';

class SpoolMissing extends Error {
  override readonly name = 'SpoolMissing';
}

/** Reports at the start that the folder of letters is missing, such as a share that is not mounted. Letters wait until it is there. */
export function reportMissingSpool({
  settings: { letterSpool: folder },
  log,
}: {
  readonly settings: Settings;
  readonly log: Pick<Log, 'fault'>;
}): void {
  if (folder !== undefined && !existsSync(folder))
    log.fault(
      'letters',
      new SpoolMissing(`LETTER_SPOOL: there is no folder ${folder}; letters wait until it is made or mounted`),
    );
}

/** The layout of letters. It is checked also where no letters are printed, so that a wrong value always ends the start. */
export function letterLayoutOf({
  letterWindow: window,
  letterFonts: fonts,
  letterReturnAddress,
  timeZone,
}: Settings): LetterLayout {
  if (window !== 'din5008b' && window !== 'uk-c5') {
    throw new SettingError('LETTER_WINDOW', `expected din5008b or uk-c5, ${JSON.stringify(window)} came`);
  }
  if (fonts !== undefined && !hasFonts(fonts)) {
    throw new SettingError('LETTER_FONTS', `expected a folder with .ttf or .otf files, ${JSON.stringify(fonts)} came`);
  }
  if (letterReturnAddress === undefined) return { window, timeZone };
  const returnAddress = parseReturnAddress(letterReturnAddress);
  if (returnAddress === undefined) {
    const came = JSON.stringify(letterReturnAddress);
    throw new SettingError('LETTER_RETURN_ADDRESS', `expected ${returnAddressRequirement}, ${came} came`);
  }
  return { window, returnAddress, timeZone };
}

/** The layout and the typesetter of letters, which is loaded only here. */
export async function loadLetterParts(settings: Settings): Promise<LetterDeps> {
  const layout = letterLayoutOf(settings);
  const { createLetterRenderer } = await import('./letter-renderer.ts');
  return { renderer: createLetterRenderer({ fonts: settings.letterFonts }), ...layout };
}

function hasFonts(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => /\.(ttf|otf)$/i.test(name));
  } catch {
    // Not a folder, or not readable.
    return false;
  }
}

/** Whether this installation prints letters. */
export function printsLetters({ letterSpool }: Settings): boolean {
  return letterSpool !== undefined;
}

/**
 * The check of a dry run whether a letter can be printed; undefined where none are printed. It has a typesetter of its own, so
 * that dry runs and printed letters do not wait for each other.
 */
export async function createLetterDryRun({
  settings,
  log,
}: {
  readonly settings: Settings;
  readonly log: Pick<Log, 'fault'>;
}): Promise<CheckLetter | undefined> {
  if (!printsLetters(settings)) return undefined;
  const { createLetterCheck } = await import('./check-letter.ts');
  return createLetterCheck(await loadLetterParts(settings), (fault) => log.fault('letters', fault));
}
