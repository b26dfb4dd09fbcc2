import { baseUrlForLinks } from '../config/public-url.ts';
import type { Settings } from '../config/settings.ts';
import { demoFooterSettings } from '../web/demo-statements.ts';
import type { DemoMark } from '../web/page.ts';
import { citizenPaths } from '../web/sign-in-flow.ts';

/**
 * The settings with the defaults of the mode. With pages for citizens, messages link to these pages. The demo has the simulators and
 * invented contacts and statements, accepts client secrets, and does not scan documents.
 */
export function modeSettings(given: Settings, isDemo: boolean): Settings & { readonly logLevel: string } {
  const { simulators = isDemo, clientSecrets = isDemo, logLevel = isDemo ? 'warn' : 'info' } = given;
  const url = baseUrlForLinks(given);
  const hasCitizenPages = isDemo || given.signInIssuer !== undefined;
  const ownInboxUrl = url === undefined || !hasCitizenPages ? undefined : `${url}${citizenPaths.messages}/{id}`;
  const settings = { ...given, simulators, clientSecrets, logLevel, inboxUrl: given.inboxUrl ?? ownInboxUrl };
  if (!isDemo) return settings;
  const { supportEmail = 'api-support@example.gov', securityContact = 'mailto:security@example.gov' } = given;
  const footer = {
    accessibilityUrl: given.accessibilityUrl ?? demoFooterSettings.accessibilityUrl,
    privacyUrl: given.privacyUrl ?? demoFooterSettings.privacyUrl,
    helpUrl: given.helpUrl ?? demoFooterSettings.helpUrl,
  };
  return { ...settings, ...footer, supportEmail, securityContact, clamav: given.clamav ?? 'off' };
}

/** The line that marks the pages of a demo: it says that nothing is sent only if no channel has a provider. */
export function demoMarkOf({ smtpUrl, smsUrl, letterSpool }: Settings): DemoMark {
  return smtpUrl === undefined && smsUrl === undefined && letterSpool === undefined ? 'demo' : 'demoSends';
}
