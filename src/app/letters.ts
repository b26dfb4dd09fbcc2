import { existsSync, readdirSync, statSync } from 'node:fs';
import { SettingError, type Settings } from '../config/settings.ts';
import { parseReturnAddress, returnAddressRequirement } from '../kernel/return-address.ts';
import type { LetterLayout } from '../notifications/letters/letter-data.ts';
import type { LetterDeps } from '../notifications/letters/render-letter.ts';
import { type Channel, type OnProviderFailure, unconfiguredChannels } from '../notifications/notification/channel.ts';
import type { CheckLetter } from '../notifications/ports.ts';
import type { AppContext } from './app-context.ts';

/** Letters to the printer that the settings name, or the channel that says there is none. */
export async function createLetterChannel(settings: Settings, onProviderFailure: OnProviderFailure): Promise<Channel> {
  letterLayoutOf(settings);
  const { letterSpool: folder } = settings;
  if (folder === undefined) return unconfiguredChannels.letter;
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new SettingError('LETTER_SPOOL', `expected a folder, ${JSON.stringify(folder)} is none`);
  }
  const { createLetterSpool } = await import('../notifications/channels/letter-spool.ts');
  return createLetterSpool({ folder, onProviderFailure, ...(await loadLetterParts(settings)) });
}

/** Says at the start that the folder of letters is not there, as that of a share that is not mounted: they wait until it is. */
export function reportMissingSpool({
  settings: { letterSpool: folder },
  log,
}: Pick<AppContext, 'settings' | 'log'>): void {
  if (folder !== undefined && !existsSync(folder))
    log.fault(
      'letters',
      new Error(`LETTER_SPOOL: there is no folder ${folder}; letters wait until it is made or mounted`),
    );
}

/** What is said of letters is looked at where none are printed too, so that a wrong value stops the start. */
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

async function loadLetterParts(settings: Settings): Promise<LetterDeps> {
  const layout = letterLayoutOf(settings);
  const { createLetterRenderer } = await import('../notifications/letters/letter-renderer.ts');
  return { renderer: createLetterRenderer({ fonts: settings.letterFonts }), ...layout };
}

function hasFonts(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => /\.(ttf|otf)$/i.test(name));
  } catch {
    // It is no folder, or one that cannot be read.
    return false;
  }
}

/**
 * By what a dry run sees whether a letter can be printed; nothing where this server prints none. It has a press of its own: a
 * caller waits for no letters that are printed, and these for no dry run.
 */
export async function createLetterDryRun({
  settings,
  log,
}: {
  readonly settings: Settings;
  readonly log: Pick<AppContext['log'], 'fault'>;
}): Promise<CheckLetter | undefined> {
  if (settings.letterSpool === undefined) return undefined;
  const { createLetterCheck } = await import('../notifications/letters/check-letter.ts');
  return createLetterCheck(await loadLetterParts(settings), (fault) => log.fault('letters', fault));
}
