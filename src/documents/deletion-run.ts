import { createHash } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import type { DocumentId, Mint } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';
import type { Actor } from '../ledger/event.ts';
import { type Read, WriteRefused } from '../store/db.ts';
import { mayErase } from './document.ts';
import { findDocument } from './document-store.ts';
import { erasureOf, removeSealed } from './erase-document.ts';
import { type Due, dueForErasure, ruleOf } from './keeping-store.ts';
import type { DocumentPorts } from './ports.ts';

export type KeepingParts = {
  readonly read: Read;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly mint: Mint;
  readonly ports: Pick<DocumentPorts, 'blobs' | 'citizenKeys' | 'alarm'>;
  /** Asked before each page of a run. */
  isStopping?(): boolean;
  /** Told of each page what became of it, and waited for. */
  onPage?(page: Ends): Promise<void>;
};

/** What became of documents that were due, or, as a preview, would become of them. */
export type Ends = {
  readonly erased: readonly DocumentId[];
  /** Due, but under a legal hold. */
  readonly held: readonly DocumentId[];
  /** Changed while the run was at work, or not to be erased just now: the next run looks at them anew. */
  readonly passed: readonly DocumentId[];
};

/** How many a run erased, or would erase, and so on; which, each page has told: they may be millions. */
export type DeletionRun = Readonly<Record<keyof Ends, number>> & {
  /** Why the first of these could not be erased, where something failed. */
  readonly fault?: unknown;
};

/** Erased together: behind a commit that destroys keys SQLite writes its file through, once for all of them. */
const pageSize = 100;

/**
 * Erases every document that is due at this instant: withdrawn ones whose retention has ended, and those at the end of
 * their class. Each erasure has its event, and the run as a whole one more; it can be stopped and begun again anywhere.
 * What fails hinders no other: the run goes on, and tells the first fault with what it did.
 */
export async function runDeletion(parts: KeepingParts, actor: Actor, preview: boolean): Promise<DeletionRun> {
  const now = parts.clock.now();
  const run = { erased: 0, held: 0, passed: 0 };
  const list = createHash('sha256');
  let fault: unknown;
  const doneWith = async ({ id, held }: Due): Promise<keyof Ends> => {
    if (held) return 'held';
    return preview || (await erase(parts, id, { now, actor })) ? 'erased' : 'passed';
  };
  for (let after: Due | undefined; parts.isStopping?.() !== true; ) {
    const due = await dueForErasure(parts.read, { now, after, limit: pageSize });
    const ends = await Promise.allSettled(due.map(doneWith));
    const page = noEnds();
    for (const [at, { id }] of due.entries()) {
      const end = ends[at];
      page[end?.status === 'fulfilled' ? end.value : 'passed'].push(id);
      if (end?.status === 'rejected') fault ??= end.reason;
    }
    for (const end of endings) run[end] += page[end].length;
    for (const id of page.erased) list.update(`${id}\n`);
    after = due.at(-1);
    await parts.onPage?.(page);
    if (due.length < pageSize) break;
  }
  if (!preview) await record(parts, { ...run, list: `sha-256=:${list.digest('base64')}:` }, { now, actor });
  return fault === undefined ? run : { ...run, fault };
}

/** Whether a run would erase anything; it looks no further than to the first page that holds such a document. */
export async function isErasureDue(parts: KeepingParts): Promise<boolean> {
  let isDue = false;
  const looking = {
    ...parts,
    isStopping: () => isDue || parts.isStopping?.() === true,
    onPage: async ({ erased }: Ends) => {
      isDue ||= erased.length > 0;
    },
  };
  await runDeletion(looking, { process: 'retention' }, true);
  return isDue;
}

const endings = ['erased', 'held', 'passed'] as const;
const noEnds = () => ({ erased: [] as DocumentId[], held: [] as DocumentId[], passed: [] as DocumentId[] });

type When = { readonly now: number; readonly actor: Actor };

async function erase(parts: KeepingParts, id: DocumentId, { now, actor }: When): Promise<boolean> {
  const document = (await findDocument(parts.read, id))?.document;
  if (document === undefined || !('sealedRecord' in document) || !mayErase(document, now)) return false;
  const effect = await erasureOf(parts.ports, document, { mint: parts.mint, now, actor, rule: ruleOf(document) });
  try {
    await parts.commit(effect);
  } catch (fault) {
    if (fault instanceof WriteRefused && fault.kind === 'rows') return false;
    throw fault;
  }
  await removeSealed(parts.ports, document);
  return true;
}

type Recorded = Readonly<Record<keyof Ends, number>> & { readonly list: string };

async function record(parts: KeepingParts, run: Recorded, { now, actor }: When): Promise<void> {
  const { erased, held, passed, list } = run;
  const event = { type: 'documents.deletion-run', id: parts.mint('event'), at: now, actor } as const;
  await parts.commit({ events: [{ ...event, erased, held, failed: passed, list }], statements: [] });
}
