import type { RandomBytes } from '../../kernel/clock.ts';
import type { PrivateHostCheck } from './private-host-check.ts';

/** The dependencies of the operations on webhooks. */
export type WebhookPorts = {
  readonly random: RandomBytes;
  /** Derived from the root key for `webhook-secrets`. */
  readonly webhookKey: Uint8Array;
  readonly allowPrivateTargets: boolean;
  readonly isPrivateHost: PrivateHostCheck;
};
