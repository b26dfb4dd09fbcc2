import type { Settings } from './config/settings.ts';

/** The settings as the mode has them: the demo names people where the settings name nobody, and scans nothing. */
export function settingsOf(given: Settings, isDemo: boolean): Settings {
  if (!isDemo) return given;
  const { supportEmail = 'api-support@example.gov', securityContact = 'mailto:security@example.gov' } = given;
  return { ...given, supportEmail, securityContact, clamav: given.clamav ?? 'off' };
}

/** How much is logged where the operator has not said it. */
export function logLevelOf({ logLevel }: Settings, isDemo: boolean): string {
  return logLevel ?? (isDemo ? 'warn' : 'info');
}

/** Whether the invented citizens of the simulator are known. */
export function simulates({ simulators }: Settings, isDemo: boolean): boolean {
  return simulators ?? isDemo;
}
