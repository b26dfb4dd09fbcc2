import { type DeletionRun, type Ends, type KeepingParts, runDeletion } from '../src/documents/deletion-run.ts';
import type { Actor } from '../src/ledger/event.ts';

/** A run of the deletion with the documents that each of its pages has told. */
export async function listedDeletion(
  parts: KeepingParts,
  actor: Actor,
  preview: boolean,
): Promise<Ends & Pick<DeletionRun, 'fault'>> {
  const pages: Ends[] = [];
  const onPage = async (page: Ends) => void pages.push(page);
  const { fault, ...counts } = await runDeletion({ ...parts, onPage }, actor, preview);
  const all = (end: keyof Ends) => pages.flatMap((page) => page[end]);
  const ends = { erased: all('erased'), held: all('held'), passed: all('passed') };
  for (const end of ['erased', 'held', 'passed'] as const) {
    if (counts[end] !== ends[end].length)
      throw new Error(`${counts[end]} ${end} are told, and ${ends[end].length} listed`);
  }
  return fault === undefined ? ends : { ...ends, fault };
}
