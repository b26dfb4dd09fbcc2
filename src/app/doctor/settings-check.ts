import { statSync } from 'node:fs';
import { readClientAuthorities, tlsOptionsOf, trustedProxiesOf } from '../../api/transport-security.ts';
import { readWitnessPolicy } from '../../audit/open-ledger.ts';
import { type DoctorCheck, type DoctorFinding, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import { findIneffectiveSettings } from '../../config/ineffective-settings.ts';
import { publicUrlFor } from '../../config/public-url.ts';
import { settingTable } from '../../config/setting-table.ts';
import { buildFromSetting, SettingError, type Settings } from '../../config/settings.ts';
import { rootKeyFromBytes } from '../../crypto/root-key.ts';
import type { Clock } from '../../kernel/clock.ts';
import { systemRandom } from '../../kernel/system-clock.ts';
import { cascadeOf } from '../../notifications/cascade/cascade-settings.ts';
import { dkimOf, smsMappingOf } from '../../notifications/channels/create-channels.ts';
import { calendarNotice } from '../../notifications/evidence/legal-effect.ts';
import { createTimeStamper } from '../../notifications/evidence/time-stamp-settings.ts';
import { letterLayoutOf } from '../../notifications/letters/letter-settings.ts';
import { feedDaysOf } from '../../notifications/notification-jobs.ts';
import { bounceAddressesOf, mailEventsOf } from '../../notifications/provider-webhooks/provider-settings.ts';
import { signInConfigOf } from '../../web/sign-in-config.ts';
import { errorMessage } from './doctor-context.ts';

/** What the settings are read from, and what was wrong with single ones. */
export type SettingsToCheck = {
  readonly settings: Settings;
  readonly faults: readonly SettingError[];
  /** Those of them whose place gives no answer. */
  readonly silent: readonly SettingError[];
  /** The file that most of them come from. */
  readonly file: string | undefined;
  readonly clock: Clock;
};

/** The settings, each by itself and those that belong together: every fault with its name. */
export function settingsCheck(given: SettingsToCheck): DoctorCheck {
  return {
    name: 'settings',
    run: async () => {
      const faults = new Map(given.faults.map((fault) => [`${fault.setting} ${fault.problem}`, fault]));
      const reported = new Set(given.faults.map(({ setting }) => setting));
      // What is made of settings reads what they name.
      for (const demand of given.silent.length > 0 ? [] : startupDemands(given)) {
        const fault = await demandFault(demand);
        // What follows from a setting that is wrong by itself is over when that is mended.
        if (fault !== undefined && !reported.has(fault.setting)) faults.set(fault.message, fault);
      }
      const found = [
        ...[...faults.values()].map(settingFinding),
        ...warnings({ ...given, faults: [...faults.values()] }),
      ];
      return found.length > 0 ? found : [okFinding('each is of its form, and they go together')];
    },
    onFailure: { is: 'fault', fix: 'see docs/settings.md' },
  };
}

/** A fault of a setting, as a finding. */
export function settingFinding({ setting, problem }: SettingError): DoctorFinding {
  return faultFinding(`${setting}: ${problem}`, `mend it: docs/settings.md#${setting.toLowerCase()}`);
}

/** What the start makes of settings, and refuses; each with the one that a fault without a name belongs to. */
type StartupDemand = readonly [setting: string, make: () => unknown];

function startupDemands({ settings, clock }: SettingsToCheck): readonly StartupDemand[] {
  const log = { fault: () => undefined };
  // Only whether they can be made counts here.
  const root = rootKeyFromBytes(new Uint8Array(32));
  const { port, smtpUrl } = settings;
  return [
    ['PUBLIC_URL', () => publicUrlFor(settings, port)],
    ['TRUSTED_PROXIES', () => trustedProxiesOf(settings)],
    ['TLS_CLIENT_CA', () => readClientAuthorities(settings.tlsClientCa)],
    ['TLS_CERTIFICATE', () => tlsOptionsOf({ settings, log, clock }, [])],
    ['CASCADE_POLICY', () => cascadeOf(settings, false)],
    ['SMS_GATEWAY', () => smsMappingOf(settings)],
    ['LETTER_WINDOW', () => letterLayoutOf(settings)],
    ['BOUNCE_ADDRESS', () => bounceAddressesOf({ settings, root })],
    ['MAIL_EVENTS', () => mailEventsOf(settings)],
    ['DKIM_KEY', () => dkimOf(settings)],
    ['SIGN_IN_ISSUER', () => signInConfigOf(settings)],
    ['FEED_DAYS', () => feedDaysOf(settings)],
    ['LEDGER_WITNESSES', () => readWitnessPolicy(settings)],
    ['EVIDENCE_TSA_URL', () => createTimeStamper({ settings, clock, random: systemRandom, log })],
    ['SMTP_URL', () => checkRelay(smtpUrl)],
  ];
}

async function checkRelay(url: Settings['smtpUrl']): Promise<void> {
  if (url === undefined) return;
  const { parseRelayUrl } = await import('../../notifications/channels/smtp-email.ts');
  buildFromSetting('SMTP_URL', () => parseRelayUrl(url.reveal(), 1_000));
}

async function demandFault([setting, make]: StartupDemand): Promise<SettingError | undefined> {
  try {
    await make();
    return undefined;
  } catch (fault) {
    return fault instanceof SettingError ? fault : new SettingError(setting, errorMessage(fault));
  }
}

function warnings({ settings, faults, file, clock }: SettingsToCheck): readonly DoctorFinding[] {
  const found: DoctorFinding[] = [];
  const mode = file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  if ((mode & 0o077) !== 0)
    found.push(
      warnFinding(`${file} has mode ${mode.toString(8)}: others can read what is secret in it`, `chmod 600 ${file}`),
    );
  const { smtpUrl, mailFrom, clientSecrets, simulators } = settings;
  if (smtpUrl !== undefined && mailFrom === settingTable.MAIL_FROM.fallback)
    found.push(
      warnFinding(`mail is sent from ${mailFrom}, which relays refuse`, 'set MAIL_FROM to an address of yours'),
    );
  const sandbox = { CLIENT_SECRETS: clientSecrets, SIMULATORS: simulators };
  for (const [name, value] of Object.entries(sandbox))
    if (value === true)
      found.push(
        warnFinding(`${name} is true, which is for a sandbox alone`, `leave ${name} out where citizens are real`),
      );
  // One that is wrong is read as absent.
  for (const { setting, needs } of faults.length > 0 ? [] : findIneffectiveSettings(settings))
    found.push(warnFinding(`${setting} is not read without ${needs}`, `set that too, or take ${setting} out`));
  const days = calendarNotice({ holidays: new Set(settings.holidays) }, clock.now());
  if (days !== undefined) found.push(warnFinding(days, 'add the days of this year to HOLIDAYS'));
  return found;
}
