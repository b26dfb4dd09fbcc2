import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../api/log.ts';
import { SettingError, type Settings } from '../../config/settings.ts';
import { parseReturnAddress, returnAddressRequirement } from '../../kernel/return-address.ts';
import type { CheckLetter } from './check-letter.ts';
import type { LetterLayout } from './letter-data.ts';
import type { LetterDeps } from './render-letter.ts';

class SpoolMissing extends Error {
  override readonly name = 'SpoolMissing';
}

type LetterStartDeps = { readonly settings: Settings; readonly log: Pick<Log, 'fault'> };

/** Reports at the start that the folder of letters is missing, such as a share that is not mounted. Letters wait until it is there. */
export function reportMissingSpool({ settings: { letterSpool: folder }, log }: LetterStartDeps): void {
  if (folder === undefined || existsSync(folder)) return;
  const problem = `LETTER_SPOOL: there is no folder ${folder}; letters wait until it is created or mounted`;
  log.fault('letters', new SpoolMissing(problem));
}

/** The layout of letters. Throws `SettingError` for a wrong value; the start calls it even if no letters are printed. */
export function letterLayoutOf(settings: Settings): LetterLayout {
  const { letterWindow: window, letterFonts: fonts, letterLogos, letterReturnAddress, timeZone } = settings;
  if (window !== 'din5008b' && window !== 'uk-c5') {
    throw new SettingError('LETTER_WINDOW', `expected din5008b or uk-c5, received ${JSON.stringify(window)}`);
  }
  if (fonts !== undefined && !hasFonts(fonts)) {
    throw new SettingError(
      'LETTER_FONTS',
      `expected a folder with .ttf or .otf files, received ${JSON.stringify(fonts)}`,
    );
  }
  const logos = letterLogos === undefined ? {} : { logos: readLogoNames(letterLogos) };
  if (letterReturnAddress === undefined) return { window, timeZone, ...logos };
  const returnAddress = parseReturnAddress(letterReturnAddress);
  if (returnAddress === undefined) {
    const received = JSON.stringify(letterReturnAddress);
    throw new SettingError('LETTER_RETURN_ADDRESS', `expected ${returnAddressRequirement}, received ${received}`);
  }
  return { window, returnAddress, timeZone, ...logos };
}

/** The layout and the typesetter of letters, which is loaded only here. */
export async function loadLetterParts(settings: Settings): Promise<LetterDeps> {
  const layout = letterLayoutOf(settings);
  const { createLetterRenderer } = await import('./letter-renderer.ts');
  return { renderer: createLetterRenderer({ fonts: settings.letterFonts, logos: settings.letterLogos }), ...layout };
}

function hasFonts(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => /\.(ttf|otf)$/i.test(name));
  } catch {
    // Not a folder, or not readable.
    return false;
  }
}

/** The names of the logos in a folder. Throws `SettingError` for a file that is no SVG or PNG image, because no letter could be printed with it. */
function readLogoNames(folder: string): readonly string[] {
  const names = listImages(folder);
  const wrong = names.find((name) => !isImage(name, readFileSync(join(folder, name))));
  if (names.length === 0 || wrong !== undefined) {
    const received = wrong === undefined ? JSON.stringify(folder) : `the file ${JSON.stringify(wrong)}`;
    throw new SettingError(
      'LETTER_LOGOS',
      `expected a folder with SVG or PNG images, such as default.svg, received ${received}`,
    );
  }
  return names;
}

function listImages(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /\.(svg|png)$/.test(name));
  } catch {
    // Not a folder, or not readable.
    return [];
  }
}

function isImage(name: string, bytes: Buffer): boolean {
  return name.endsWith('.svg') ? bytes.includes('<svg') : bytes.toString('latin1', 1, 4) === 'PNG';
}

/**
 * Creates the check of a preview whether a letter can be printed; undefined without `LETTER_SPOOL`. It has its own typesetter, so
 * that previews and printed letters do not wait for each other.
 */
export async function createLetterPreview({ settings, log }: LetterStartDeps): Promise<CheckLetter | undefined> {
  if (settings.letterSpool === undefined) return undefined;
  const { createLetterCheck } = await import('./check-letter.ts');
  return createLetterCheck(await loadLetterParts(settings), (fault) => log.fault('letters', fault));
}
