import { existsSync, readdirSync, statSync } from 'node:fs';
import type { House } from '../compose.ts';
import { ofSetting, SettingError, type Settings } from '../config/settings.ts';
import { parseReturnAddress, returnAddressForm } from '../kernel/return-address.ts';
import { absentChannels, type Channel, type OnTrouble } from '../notifications/channels/channel.ts';
import type { SftpPlace } from '../notifications/channels/sftp-session.ts';
import type { LetterLayout } from '../notifications/letters/letter-data.ts';
import type { LetterParts } from '../notifications/letters/letter-job.ts';
import type { TryLetter } from '../notifications/ports.ts';

/** Letters to the printer that the settings name, or the channel that says there is none. */
export async function letterOf(settings: Settings, onTrouble: OnTrouble): Promise<Channel> {
  refuseTwoPrinters(settings);
  letterLayoutOf(settings);
  const { letterSpool: folder, letterSftp } = settings;
  if (folder === undefined && letterSftp === undefined) return absentChannels.letter;
  if (folder !== undefined) {
    if (existsSync(folder) && !statSync(folder).isDirectory()) {
      throw new SettingError('LETTER_SPOOL', `expected a folder, ${JSON.stringify(folder)} is none`);
    }
    const { createLetterSpool } = await import('../notifications/channels/letter-spool.ts');
    return createLetterSpool({ folder, onTrouble, ...(await letterPartsOf(settings)) });
  }
  const { createLetterSftp } = await import('../notifications/channels/letter-sftp.ts');
  return createLetterSftp({ place: await sftpPlaceIn(settings), onTrouble, ...(await letterPartsOf(settings)) });
}

/** Says at the start that the folder of letters is not there, as that of a share that is not mounted: they wait until it is. */
export function tellOfAbsentSpool({ settings: { letterSpool: folder }, log }: Pick<House, 'settings' | 'log'>): void {
  if (folder !== undefined && !existsSync(folder))
    log.fault(
      'letters',
      new Error(`LETTER_SPOOL: there is no folder ${folder}; letters wait until it is made or mounted`),
    );
}

/** Letters go to one place, and its key and login belong to it. */
export function refuseTwoPrinters({ letterSpool, letterSftp, letterSftpKey, letterSftpHostKey }: Settings): void {
  if (letterSftp === undefined && (letterSftpKey ?? letterSftpHostKey) !== undefined) {
    throw new SettingError('LETTER_SFTP', 'LETTER_SFTP_KEY and LETTER_SFTP_HOST_KEY are of use beside it alone');
  }
  if (letterSpool !== undefined && letterSftp !== undefined) {
    throw new SettingError('LETTER_SFTP', 'expected LETTER_SPOOL or LETTER_SFTP, both came');
  }
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
    throw new SettingError('LETTER_RETURN_ADDRESS', `expected ${returnAddressForm}, ${came} came`);
  }
  return { window, returnAddress, timeZone };
}

async function letterPartsOf(settings: Settings): Promise<LetterParts> {
  const layout = letterLayoutOf(settings);
  const { createLetterPress } = await import('../notifications/letters/letter-press.ts');
  return { press: createLetterPress({ fonts: settings.letterFonts }), ...layout };
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
export async function tryLetterOf({
  settings,
  log,
}: {
  readonly settings: Settings;
  readonly log: Pick<House['log'], 'fault'>;
}): Promise<TryLetter | undefined> {
  if (settings.letterSpool === undefined && settings.letterSftp === undefined) return undefined;
  const { createTryLetter } = await import('../notifications/letters/try-letter.ts');
  return createTryLetter(await letterPartsOf(settings), (fault) => log.fault('letters', fault));
}

/** Where a printer takes letters by SFTP. */
export async function sftpPlaceIn({
  letterSftp,
  letterSftpKey,
  letterSftpHostKey: hostKey,
}: Settings): Promise<SftpPlace> {
  const { sftpPlaceOf } = await import('../notifications/channels/sftp-session.ts');
  return ofSetting('LETTER_SFTP', () =>
    sftpPlaceOf(letterSftp?.reveal() ?? '', { key: letterSftpKey?.reveal(), hostKey }),
  );
}
