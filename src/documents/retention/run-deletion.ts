import { createHash } from 'node:crypto';
import { type Read, WriteRefused } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { DocumentId, IdGenerator } from '../../kernel/id.ts';
import type { Commit } from '../../ledger/commit.ts';
import type { Actor } from '../../ledger/ledger-event.ts';
import { mayErase } from '../document.ts';
import { findDocument } from '../document-store.ts';
import type { DocumentPorts } from '../ports.ts';
import { erasureEffect, removeSealedBlob } from './erase-document.ts';
import { type DueDocument, dueForErasure, erasureRuleOf } from './retention-store.ts';

/** The stores and callbacks of a deletion run. */
export type RetentionDeps = {
  readonly read: Read;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly createId: IdGenerator;
  readonly ports: Pick<DocumentPorts, 'blobs' | 'citizenKeys' | 'alarm'>;
  /** Checked before each page of a run. */
  isStopping?(): boolean;
  /** Called and awaited after each page. */
  onPage?(page: DeletionPage): Promise<void>;
};

/** The results for due documents; in a dry run what would happen. */
export type DeletionPage = {
  readonly erased: readonly DocumentId[];
  /** Due, but under a legal hold. */
  readonly held: readonly DocumentId[];
  /** Changed during the run, or not erasable now: the next run tries them again. */
  readonly passed: readonly DocumentId[];
};

/** The totals of a run. The ids are reported in pages, because there may be millions. */
export type DeletionRun = Readonly<Record<keyof DeletionPage, number>> & {
  /** The first fault, if an erasure failed. */
  readonly fault?: unknown;
};

/** Erased together: after a commit that destroys keys, SQLite writes its file through once for all of them. */
const pageSize = 100;

/**
 * Erases each document that is due at this instant: withdrawn ones past their retention, and those at the end of their class.
 * Each erasure has an event, and so has the run. It can be stopped and started again at any point. A fault does not stop it;
 * the first fault is reported with the totals.
 */
export async function runDeletion(deps: RetentionDeps, actor: Actor, isDryRun: boolean): Promise<DeletionRun> {
  const now = deps.clock.now();
  const run = { erased: 0, held: 0, passed: 0 };
  const list = createHash('sha256');
  let fault: unknown;
  const processDue = async ({ id, held }: DueDocument): Promise<keyof DeletionPage> => {
    if (held) return 'held';
    return isDryRun || (await eraseDue(deps, id, { now, actor })) ? 'erased' : 'passed';
  };
  for (let after: DueDocument | undefined; deps.isStopping?.() !== true; ) {
    const due = await dueForErasure(deps.read, { now, after, limit: pageSize });
    const ends = await Promise.allSettled(due.map(processDue));
    const page = createPage();
    for (const [at, { id }] of due.entries()) {
      const end = ends[at];
      page[end?.status === 'fulfilled' ? end.value : 'passed'].push(id);
      if (end?.status === 'rejected') fault ??= end.reason;
    }
    for (const end of outcomes) run[end] += page[end].length;
    for (const id of page.erased) list.update(`${id}\n`);
    after = due.at(-1);
    await deps.onPage?.(page);
    if (due.length < pageSize) break;
  }
  if (!isDryRun) await recordRun(deps, { ...run, list: `sha-256=:${list.digest('base64')}:` }, { now, actor });
  return fault === undefined ? run : { ...run, fault };
}

/** Whether a run would erase anything; it stops at the first page with such a document. */
export async function isErasureDue(deps: RetentionDeps): Promise<boolean> {
  let isDue = false;
  const previewDeps = {
    ...deps,
    isStopping: () => isDue || deps.isStopping?.() === true,
    onPage: async ({ erased }: DeletionPage) => {
      isDue ||= erased.length > 0;
    },
  };
  await runDeletion(previewDeps, { process: 'retention' }, true);
  return isDue;
}

const outcomes = ['erased', 'held', 'passed'] as const;
const createPage = () => ({ erased: [] as DocumentId[], held: [] as DocumentId[], passed: [] as DocumentId[] });

type RunContext = { readonly now: number; readonly actor: Actor };

async function eraseDue(deps: RetentionDeps, id: DocumentId, { now, actor }: RunContext): Promise<boolean> {
  const document = (await findDocument(deps.read, id))?.document;
  if (document === undefined || !('sealedRecord' in document) || !mayErase(document, now)) return false;
  const effect = await erasureEffect(deps.ports, document, {
    createId: deps.createId,
    now,
    actor,
    rule: erasureRuleOf(document),
  });
  try {
    await deps.commit(effect);
  } catch (fault) {
    if (fault instanceof WriteRefused && fault.kind === 'rows') return false;
    throw fault;
  }
  await removeSealedBlob(deps.ports, document);
  return true;
}

type RunTotals = Readonly<Record<keyof DeletionPage, number>> & { readonly list: string };

async function recordRun(deps: RetentionDeps, run: RunTotals, { now, actor }: RunContext): Promise<void> {
  const { erased, held, passed, list } = run;
  const event = { type: 'documents.deletion-run', id: deps.createId('event'), at: now, actor } as const;
  await deps.commit({ events: [{ ...event, erased, held, failed: passed, list }], statements: [] });
}
