import { statSync } from 'node:fs';
import { readClientAuthorities, tlsOptionsOf, trustedProxiesOf } from '../../api/transport-security.ts';
import { readWitnessPolicy } from '../../audit/open-ledger.ts';
import { staffTokenRulesOf } from '../../auth/staff-token.ts';
import { messageOf } from '../../cli/command.ts';
import { type DoctorFinding, type DoctorFindings, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import { findIneffectiveSettings } from '../../config/ineffective-settings.ts';
import { publicUrlFor } from '../../config/public-url.ts';
import { settingSchemas } from '../../config/setting-schemas.ts';
import { buildFromSetting, SettingError, type Settings } from '../../config/settings.ts';
import { rootKeyFromBytes } from '../../crypto/root-key.ts';
import type { Clock } from '../../kernel/clock.ts';
import { systemRandom } from '../../kernel/system-clock.ts';
import { cascadeOf } from '../../notifications/cascade/cascade-file.ts';
import { dkimOf, smsMappingOf } from '../../notifications/channels/create-channels.ts';
import { createTimeStamper } from '../../notifications/evidence/time-stamp-settings.ts';
import { calendarNotice } from '../../notifications/legal-effect/legal-effect.ts';
import { letterLayoutOf } from '../../notifications/letters/letter-settings.ts';
import { bounceAddressesOf, mailEventsOf } from '../../notifications/provider-webhooks/provider-settings.ts';
import { signInConfigOf, staffSignInConfigOf } from '../../web/sign-in-config.ts';

/** The settings, and the faults that reading them found. */
type SettingsToCheck = {
  readonly settings: Settings;
  readonly faults: readonly SettingError[];
  /** The path in `SETTINGS_FILE`. */
  readonly file: string | undefined;
  readonly clock: Clock;
};

/** Reports faults that prevent all other checks. */
export function settingFaultFindings(faults: readonly SettingError[]): readonly DoctorFinding[] {
  return [...faults.map(settingFinding), nothingElseFinding];
}

const nothingElseFinding = warnFinding('nothing else was checked', 'fix the settings first, then run doctor again');

/** Checks each setting, and settings that depend on each other. */
export async function checkSettings(input: SettingsToCheck): Promise<DoctorFindings> {
  const faults = [...input.faults];
  for (const [setting, build] of startupSteps(input)) {
    const fault = await faultOf(setting, build);
    // A fault can follow from another one of the same setting.
    if (fault !== undefined && !faults.some((other) => other.setting === fault.setting)) faults.push(fault);
  }
  const findings = [...faults.map(settingFinding), ...warnings(input, faults.length > 0)];
  if (input.faults.length > 0) return [...findings, nothingElseFinding];
  return findings.length > 0 ? findings : okFinding('all settings are valid');
}

function settingFinding({ setting, problem }: SettingError): DoctorFinding {
  return faultFinding(`${setting}: ${problem}`, `fix it: docs/reference/settings.md#${setting.toLowerCase()}`);
}

/** The steps of the start that validate settings. An error that names no setting is a fault of the one given here. */
function startupSteps({ settings, clock }: SettingsToCheck): readonly (readonly [setting: string, () => unknown])[] {
  const log = { fault: () => undefined };
  // Any key: the result is not used.
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
    ['STAFF_ISSUER', () => [staffTokenRulesOf(settings), staffSignInConfigOf(settings)]],
    ['LEDGER_WITNESSES', () => readWitnessPolicy(settings)],
    ['WALLET_TRUST', () => checkWalletFiles(settings, clock)],
    ['EVIDENCE_TSA_URL', () => createTimeStamper({ settings, clock, random: systemRandom, log })],
    ['SMTP_URL', () => checkRelayUrl(smtpUrl)],
  ];
}

async function checkWalletFiles(settings: Settings, clock: Clock): Promise<void> {
  if (settings.walletTrust === undefined) return;
  const { readConfiguredCertificate, readTrustConfig } = await import('../../wallet/trust/configured-trust.ts');
  await readTrustConfig(settings, clock);
  readConfiguredCertificate(settings, clock);
}

async function checkRelayUrl(url: Settings['smtpUrl']): Promise<void> {
  if (url === undefined) return;
  const { parseRelayUrl } = await import('../../notifications/channels/smtp-email.ts');
  buildFromSetting('SMTP_URL', () => parseRelayUrl(url.reveal(), 1_000));
}

async function faultOf(setting: string, build: () => unknown): Promise<SettingError | undefined> {
  try {
    await build();
    return undefined;
  } catch (fault) {
    return fault instanceof SettingError ? fault : new SettingError(setting, messageOf(fault));
  }
}

function warnings({ settings, file, clock }: SettingsToCheck, hasFaults: boolean): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  const mode = file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  if ((mode & 0o077) !== 0)
    findings.push(
      warnFinding(`${file} has mode ${mode.toString(8)}: other users can read its secrets`, `chmod 600 ${file}`),
    );
  const { smtpUrl, mailFrom, clientSecrets, simulators } = settings;
  if (smtpUrl !== undefined && mailFrom === settingSchemas.mailFrom.default)
    findings.push(
      warnFinding(`mail is sent from ${mailFrom}, which relays refuse`, 'set MAIL_FROM to an address of your domain'),
    );
  for (const [name, value] of Object.entries({ CLIENT_SECRETS: clientSecrets, SIMULATORS: simulators }))
    if (value === true)
      findings.push(
        warnFinding(`${name} is true, which is only for a sandbox`, `remove ${name} if the citizens are real`),
      );
  if (settings.webhookPrivateTargets)
    findings.push(
      warnFinding(
        'WEBHOOK_PRIVATE_TARGETS is true: clients can make this server call hosts of your internal network',
        'remove WEBHOOK_PRIVATE_TARGETS, or limit the hosts of each client with `citizen-services webhooks hosts`',
      ),
    );
  // An invalid setting is read as absent, so that others would seem ineffective.
  for (const { setting, needs } of hasFaults ? [] : findIneffectiveSettings(settings))
    findings.push(warnFinding(`${setting} has no effect without ${needs}`, `set ${needs} too, or remove ${setting}`));
  const { signInIssuer, accessibilityUrl, privacyUrl } = settings;
  const statements = { ACCESSIBILITY_URL: accessibilityUrl, PRIVACY_URL: privacyUrl };
  for (const [name, url] of hasFaults || signInIssuer === undefined ? [] : Object.entries(statements))
    if (url === undefined)
      findings.push(
        warnFinding(`the footer of the pages for citizens lacks the link of ${name}`, `set ${name} to your statement`),
      );
  const holidays = calendarNotice({ holidays: new Set(settings.holidays) }, clock.now());
  if (holidays !== undefined) findings.push(warnFinding(holidays, 'add the holidays of this year to HOLIDAYS'));
  return findings;
}
