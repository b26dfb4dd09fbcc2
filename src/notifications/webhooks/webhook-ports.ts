import type { Random } from '../../kernel/clock.ts';
import type { HostLook } from './host-look.ts';

/** What the operations on webhooks need from outside their folder. */
export type WebhookPorts = {
  readonly random: Random;
  /** Derived from the root for `webhook-secrets`. */
  readonly webhookKey: Uint8Array;
  readonly allowPrivateTargets: boolean;
  readonly isPrivateHost: HostLook;
};
