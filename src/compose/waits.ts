import { claimMs } from '../documents/scan-documents.ts';
import { bringBackScans, scansBackAtOnce } from '../documents/scan-store.ts';
import type { Claim } from '../jobs/claim.ts';
import type { SetRight } from '../jobs/clock-doubt.ts';
import { bringBackWaits } from '../notifications/delivery/bring-back-waits.ts';
import { deliveryPolicy } from '../notifications/delivery/start-delivery.ts';
import { bringBackWaitingCalls } from '../notifications/webhooks/bring-back-calls.ts';
import type { Db } from '../store/db.ts';

type Store = Pick<Db, 'read' | 'write'> & { readonly claim: Claim };

/** Brings back all that waits for a time of a clock that was ahead: deliveries, calls of webhooks, scans. */
export async function bringBack({ read, write, claim }: Store, right: SetRight): Promise<void> {
  await bringBackWaits({ read, write, policy: deliveryPolicy }, right);
  await bringBackWaitingCalls({ read, claim }, right.now);
  const scans = bringBackScans({ now: right.now, mostMs: claimMs });
  while ((await claim(scans)).length === scansBackAtOnce);
}
