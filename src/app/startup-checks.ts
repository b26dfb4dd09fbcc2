import { releaseAllLeases } from '../jobs/lease.ts';
import type { AppContext } from './app-context.ts';
import { reportMissingDocuments } from './documents.ts';
import { loadDefaultPolicy } from './identity.ts';
import { reportMissingSpool } from './letters.ts';

/** Which looks are this process's or thread's. */
type StartupRole = { readonly isHelper: boolean; readonly isWorker: boolean };

/**
 * What a start looks at before anything is at work. A policy that is not there ends it; what else is not as it should be is told
 * to the operator, and the server starts all the same.
 */
export async function runStartupChecks(app: AppContext, { isHelper, isWorker }: StartupRole): Promise<void> {
  await loadDefaultPolicy(app);
  if (!isHelper) await reportMissingDocuments(app);
  if (isWorker) reportMissingSpool(app);
  // Nobody else can have an SQLite file open: whoever held a lease is gone.
  if (app.db.engine === 'sqlite' && !isHelper) await app.claim(releaseAllLeases);
}
