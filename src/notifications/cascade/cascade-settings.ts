import { parseSettingFile } from '../../config/setting-file.ts';
import type { Settings } from '../../config/settings.ts';
import type { ChannelName } from '../notification/notification.ts';
import { type CascadePolicy, defaultPolicyFor } from './cascade.ts';
import { parseCascadeFile } from './cascade-file.ts';

/**
 * The policy of the operator's file, or the default one for the channels that have a provider. Email is part of both, and fails
 * where there is no relay; the demo has its outbox.
 */
export function cascadeOf(settings: Settings, isDemo: boolean): CascadePolicy {
  const more = new Set<ChannelName>();
  if (settings.smsUrl !== undefined) more.add('sms');
  if (settings.letterSpool !== undefined) more.add('letter');
  const { cascadePolicy: path } = settings;
  const policy =
    path === undefined
      ? defaultPolicyFor(more)
      : parseSettingFile('CASCADE_POLICY', path, (text) => parseCascadeFile(text, new Set([...more, 'email'])));
  return isDemo || settings.smtpUrl !== undefined ? policy : { ...policy, providers: more };
}
