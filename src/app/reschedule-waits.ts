import type { Database } from '../db/database.ts';
import { scanClaimMs } from '../documents/scan/scan-documents.ts';
import { rescheduleScans, scanRescheduleBatchRows } from '../documents/scan/scan-store.ts';
import type { ClockCorrection } from '../jobs/clock-check.ts';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import { rescheduleDeliveries } from '../notifications/delivery/reschedule-deliveries.ts';
import { deliveryRetryPolicy } from '../notifications/delivery/start-delivery.ts';
import { rescheduleWaitingCalls } from '../notifications/webhooks/reschedule-calls.ts';

type RescheduleDeps = Pick<Database, 'read' | 'write'> & { readonly claim: WriteWithoutEvent };

/** Brings back all that waits for a time of a clock that was ahead: deliveries, calls of webhooks, scans. */
export async function rescheduleAfterClockCorrection(
  { read, write, claim }: RescheduleDeps,
  correction: ClockCorrection,
): Promise<void> {
  await rescheduleDeliveries({ read, write, policy: deliveryRetryPolicy }, correction);
  await rescheduleWaitingCalls({ read, claim }, correction.now);
  const scans = rescheduleScans({ now: correction.now, mostMs: scanClaimMs });
  while ((await claim(scans)).length === scanRescheduleBatchRows);
}
