import { statSync } from 'node:fs';
import { type Check, type Finding, faulty, ok, warn } from '../cli/doctor.ts';
import { authoritiesIn, proxiesOf, tlsOf } from '../compose/access.ts';
import { bounceAddressesOf, cascadeOf, dkimOf, mailEventsOf, smsMappingOf } from '../compose/channels.ts';
import { witnessesIn } from '../compose/ledger.ts';
import { letterLayoutOf, refuseTwoPrinters, sftpPlaceIn } from '../compose/letters.ts';
import { feedDaysOf, stampOf } from '../compose/notifications.ts';
import { signInOf } from '../compose/sign-in.ts';
import { publicUrlOn } from '../config/public-url.ts';
import { settingTable } from '../config/setting-table.ts';
import { ofSetting, SettingError, type Settings } from '../config/settings.ts';
import { unreadSettings } from '../config/unread-settings.ts';
import type { Clock } from '../kernel/clock.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { rootKeyFrom } from '../keys/root-key.ts';
import { calendarNotice } from '../notifications/evidence/legal-effect.ts';
import { messageOf } from './room.ts';

/** What the settings are read from, and what was wrong with single ones. */
export type ReadSettings = {
  readonly settings: Settings;
  readonly faults: readonly SettingError[];
  /** Those of them whose place gives no answer. */
  readonly silent: readonly SettingError[];
  /** The file that most of them come from. */
  readonly file: string | undefined;
  readonly clock: Clock;
};

/** The settings, each by itself and those that belong together: every fault with its name. */
export function settingsCheck(given: ReadSettings): Check {
  return {
    name: 'settings',
    look: async () => {
      const faults = new Map(given.faults.map((fault) => [`${fault.setting} ${fault.problem}`, fault]));
      const told = new Set(given.faults.map(({ setting }) => setting));
      // What is made of settings reads what they name.
      for (const demand of given.silent.length > 0 ? [] : demands(given)) {
        const fault = await faultOf(demand);
        // What follows from a setting that is wrong by itself is over when that is mended.
        if (fault !== undefined && !told.has(fault.setting)) faults.set(fault.message, fault);
      }
      const found = [...[...faults.values()].map(findingOf), ...warnings({ ...given, faults: [...faults.values()] })];
      return found.length > 0 ? found : [ok('each is of its form, and they go together')];
    },
    otherwise: { is: 'fault', fix: 'see docs/settings.md' },
  };
}

/** A fault of a setting, as a finding. */
export function findingOf({ setting, problem }: SettingError): Finding {
  return faulty(`${setting}: ${problem}`, `mend it: docs/settings.md#${setting.toLowerCase()}`);
}

/** What the start makes of settings, and refuses; each with the one that a fault without a name belongs to. */
type Demand = readonly [setting: string, make: () => unknown];

function demands({ settings, clock }: ReadSettings): readonly Demand[] {
  const log = { fault: () => undefined };
  // Only whether they can be made counts here.
  const root = rootKeyFrom(new Uint8Array(32));
  const { port, letterSftp, smtpUrl } = settings;
  return [
    ['PUBLIC_URL', () => publicUrlOn(settings, port)],
    ['TRUSTED_PROXIES', () => proxiesOf(settings)],
    ['TLS_CLIENT_CA', () => authoritiesIn(settings.tlsClientCa)],
    ['TLS_CERTIFICATE', () => tlsOf({ settings, log, clock }, [])],
    ['CASCADE_POLICY', () => cascadeOf(settings, false)],
    ['SMS_GATEWAY', () => smsMappingOf(settings)],
    ['LETTER_SFTP', () => refuseTwoPrinters(settings)],
    ['LETTER_WINDOW', () => letterLayoutOf(settings)],
    ['LETTER_SFTP', () => letterSftp !== undefined && sftpPlaceIn(settings)],
    ['BOUNCE_ADDRESS', () => bounceAddressesOf({ settings, root })],
    ['MAIL_EVENTS', () => mailEventsOf(settings)],
    ['DKIM_KEY', () => dkimOf(settings)],
    ['SIGN_IN_ISSUER', () => signInOf(settings)],
    ['FEED_DAYS', () => feedDaysOf(settings)],
    ['LEDGER_WITNESSES', () => witnessesIn(settings)],
    ['EVIDENCE_TSA_URL', () => stampOf({ settings, clock, random: systemRandom, log })],
    ['SMTP_URL', () => relayIn(smtpUrl)],
  ];
}

async function relayIn(url: Settings['smtpUrl']): Promise<void> {
  if (url === undefined) return;
  const { relayOf } = await import('../notifications/channels/smtp-email.ts');
  ofSetting('SMTP_URL', () => relayOf(url.reveal(), 1_000));
}

async function faultOf([setting, make]: Demand): Promise<SettingError | undefined> {
  try {
    await make();
    return undefined;
  } catch (fault) {
    return fault instanceof SettingError ? fault : new SettingError(setting, messageOf(fault));
  }
}

function warnings({ settings, faults, file, clock }: ReadSettings): readonly Finding[] {
  const found: Finding[] = [];
  const mode = file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  if ((mode & 0o077) !== 0)
    found.push(warn(`${file} has mode ${mode.toString(8)}: others can read what is secret in it`, `chmod 600 ${file}`));
  const { smtpUrl, mailFrom, clientSecrets, simulators } = settings;
  if (smtpUrl !== undefined && mailFrom === settingTable.MAIL_FROM.fallback)
    found.push(warn(`mail is sent from ${mailFrom}, which relays refuse`, 'set MAIL_FROM to an address of yours'));
  const sandbox = { CLIENT_SECRETS: clientSecrets, SIMULATORS: simulators };
  for (const [name, value] of Object.entries(sandbox))
    if (value === true)
      found.push(warn(`${name} is true, which is for a sandbox alone`, `leave ${name} out where citizens are real`));
  // One that is wrong is read as absent.
  for (const { setting, needs } of faults.length > 0 ? [] : unreadSettings(settings))
    found.push(warn(`${setting} is not read without ${needs}`, `set that too, or take ${setting} out`));
  const days = calendarNotice({ holidays: new Set(settings.holidays) }, clock.now());
  if (days !== undefined) found.push(warn(days, 'add the days of this year to HOLIDAYS'));
  return found;
}
