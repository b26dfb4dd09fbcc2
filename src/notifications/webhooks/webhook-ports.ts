import type { RandomBytes } from '../../kernel/clock.ts';
import type { PrivateHostCheck } from './private-host-check.ts';

/** What the operations on webhooks need from outside their folder. */
export type WebhookPorts = {
  readonly random: RandomBytes;
  /** Derived from the root for `webhook-secrets`. */
  readonly webhookKey: Uint8Array;
  readonly allowPrivateTargets: boolean;
  readonly isPrivateHost: PrivateHostCheck;
};
