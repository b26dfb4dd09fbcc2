import { once } from 'node:events';
import { join } from 'node:path';
import type { DocumentSet } from './bench-documents.ts';
import { type BenchProcess, startProcess } from './child.ts';
import type { BodyKind } from './request-bodies.ts';

/** What is asked: one of the documents behind `paths`, or a new body each time. */
export type LoadRequest =
  | { readonly paths: readonly string[]; readonly set: DocumentSet['name'] }
  | { readonly path: string; readonly body: BodyKind; readonly status: number; readonly withKey?: boolean };

/** A closed loop of requests, ended by time or by count, whichever comes first. */
export type LoadOptions = {
  readonly port: number;
  readonly token: string;
  readonly request: LoadRequest;
  readonly connections: number;
  readonly seconds: number;
  /** The most requests. */
  readonly maxRequests: number;
  readonly seed: number;
};

/** What came of it. Latencies in milliseconds; `startedAt` in epoch ms. `fault`: an answer was wrong, and all ended. */
export type LoadResult = {
  readonly responseCount: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly startedAt: number;
  readonly fault?: string | undefined;
};

/** The load generator, in a process of its own that stays warm over the whole run. */
export type LoadGenerator = {
  readonly pid: number;
  run(load: LoadOptions): Promise<LoadResult>;
  stop(): Promise<void>;
};

/** Starts it. `run` rejects on the first wrong answer, so that no figure stands on errors. */
export function startLoadGenerator(): LoadGenerator {
  const child: BenchProcess = startProcess(join(import.meta.dirname, 'load.ts'), {});
  return {
    pid: child.pid,
    run: async (load) => {
      const answer = once(child.process, 'message');
      child.process.send(load);
      // What load.ts sends.
      const [said] = (await answer) as [{ result?: LoadResult; fault?: string }];
      const fault = said.fault ?? said.result?.fault;
      if (said.result === undefined || fault !== undefined) throw new Error(`the load met a fault: ${fault}`);
      return said.result;
    },
    stop: () => child.stop(),
  };
}
