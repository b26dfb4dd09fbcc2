import type { MessagePort } from 'node:worker_threads';
import type { PageResponse } from '../../api/api-server.ts';
import type { WorkerSlot } from '../../api/connection-balancer.ts';
import type { MetricsSnapshot } from '../../api/metrics.ts';
import type { CascadePolicy } from '../../notifications/cascade/cascade.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a thread that helps to answer is told at its start. */
export type ThreadOptions = {
  /** What the settings are read from: they hold secrets, which do not cross between threads. */
  readonly environment: Environment;
  readonly isDemo: boolean;
  /** As the start read it. */
  readonly cascade: CascadePolicy;
  readonly rootKeyPath: string;
  readonly port: number;
  readonly publicUrl: string;
  /** Where it tells the other threads how many connections it has in use, and how busy it is. */
  readonly seat: WorkerSlot;
  /** The pages that show what the first thread has in memory: it is asked for them. */
  readonly pages: readonly string[];
  /** The way to the writer of an SQLite database. */
  readonly database: MessagePort | undefined;
};

/** Wakes the job of that name in the first thread, which has the worker role: for these queues, or for all. */
export type WakeJob = (job: string, queues: ReadonlySet<string> | undefined) => void;

/** From the helping thread to the first. */
export type FromThread =
  | { readonly is: 'ready' }
  /** The last message: what it has counted in all its time. */
  | { readonly is: 'stopped'; readonly snapshot: MetricsSnapshot }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'lines'; readonly text: string }
  | { readonly is: 'wake'; readonly job: string; readonly queues: ReadonlySet<string> | undefined }
  | { readonly is: 'counted'; readonly requestId: number; readonly snapshot: MetricsSnapshot }
  | {
      readonly is: 'page-wanted';
      readonly requestId: number;
      readonly path: string;
      readonly params: Readonly<Record<string, string>>;
      readonly query: string;
    };

/** From the first thread to a helping one. */
export type ToThread =
  | { readonly is: 'count'; readonly requestId: number }
  | { readonly is: 'page'; readonly requestId: number; readonly answer: PageResponse | undefined }
  /** To take no more connections, and to stop when the last one is over. */
  | { readonly is: 'leave' }
  | { readonly is: 'stop' };
