import { baseUrlForLinks } from '../config/public-url.ts';
import type { Settings } from '../config/settings.ts';
import { citizenPaths } from '../web/sign-in-flow.ts';

/**
 * The settings with the defaults of the mode. The demo has the simulators, accepts client secrets, has invented contacts, and
 * does not scan documents.
 */
export function modeSettings(given: Settings, isDemo: boolean): Settings & { readonly logLevel: string } {
  const { simulators = isDemo, clientSecrets = isDemo, logLevel = isDemo ? 'warn' : 'info' } = given;
  const settings = { ...given, simulators, clientSecrets, logLevel };
  if (!isDemo) return settings;
  const { supportEmail = 'api-support@example.gov', securityContact = 'mailto:security@example.gov' } = given;
  const url = baseUrlForLinks(given);
  const inboxUrl = given.inboxUrl ?? (url === undefined ? undefined : `${url}${citizenPaths.messages}/{id}`);
  return { ...settings, supportEmail, securityContact, inboxUrl, clamav: given.clamav ?? 'off' };
}
