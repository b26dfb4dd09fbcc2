import {
  type DeletionPage,
  type DeletionRun,
  type RetentionDeps,
  runDeletion,
} from '../../src/documents/retention/run-deletion.ts';
import type { Actor } from '../../src/ledger/ledger-event.ts';

/** Runs the deletion and collects the documents that its pages reported. */
export async function runDeletionWithIds(
  parts: RetentionDeps,
  actor: Actor,
  preview: boolean,
): Promise<DeletionPage & Pick<DeletionRun, 'fault'>> {
  const pages: DeletionPage[] = [];
  const onPage = async (page: DeletionPage) => void pages.push(page);
  const { fault, ...counts } = await runDeletion({ ...parts, onPage }, actor, preview);
  const all = (end: keyof DeletionPage) => pages.flatMap((page) => page[end]);
  const ends = { erased: all('erased'), held: all('held'), passed: all('passed') };
  for (const end of ['erased', 'held', 'passed'] as const) {
    if (counts[end] !== ends[end].length)
      throw new Error(`expected ${counts[end]} ${end} documents on the pages, received ${ends[end].length}`);
  }
  return fault === undefined ? ends : { ...ends, fault };
}
