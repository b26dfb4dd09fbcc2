import type { House } from '../compose.ts';
import { endLeases } from '../jobs/lease.ts';
import { tellOfAbsentDocuments } from './documents.ts';
import { standingPolicy } from './identity.ts';
import { tellOfAbsentSpool } from './letters.ts';

/** Which looks are this process's or thread's. */
type Looking = { readonly isHelper: boolean; readonly isWorker: boolean };

/**
 * What a start looks at before anything is at work. A policy that is not there ends it; what else is not as it should be is told
 * to the operator, and the server starts all the same.
 */
export async function lookAtTheStart(house: House, { isHelper, isWorker }: Looking): Promise<void> {
  await standingPolicy(house);
  if (!isHelper) await tellOfAbsentDocuments(house);
  if (isWorker) tellOfAbsentSpool(house);
  // Nobody else can have an SQLite file open: whoever held a lease is gone.
  if (house.db.engine === 'sqlite' && !isHelper) await house.claim(endLeases);
}
