import { once } from 'node:events';
import { join } from 'node:path';
import type { DocumentSet } from './bench-documents.ts';
import { BenchFailed } from './bench-failed.ts';
import { type BenchProcess, startProcess } from './child.ts';
import type { BodyKind } from './request-bodies.ts';

/** A request for one of the documents at `paths`, or a request with a new body each time. */
export type LoadRequest =
  | { readonly paths: readonly string[]; readonly set: DocumentSet['name'] }
  | { readonly path: string; readonly body: BodyKind; readonly status: number; readonly withKey?: boolean };

/** A closed loop of requests. It ends after a time or a number of requests, whichever is first. */
export type LoadOptions = {
  readonly port: number;
  readonly token: string;
  readonly request: LoadRequest;
  readonly connections: number;
  readonly seconds: number;
  readonly maxRequests: number;
  readonly seed: number;
};

/** The figures of a load. Latencies are in milliseconds, `startedAt` in epoch ms. `fault`: a wrong response ended the load. */
export type LoadResult = {
  readonly responseCount: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly startedAt: number;
  readonly fault?: string | undefined;
};

/** The load generator. Its process runs until the end of the bench, so that its code stays compiled. */
export type LoadGenerator = {
  readonly pid: number;
  run(load: LoadOptions): Promise<LoadResult>;
  stop(): Promise<void>;
};

/** Starts the load generator. `run` rejects after the first wrong response, so that no figure includes errors. */
export function startLoadGenerator(): LoadGenerator {
  const child: BenchProcess = startProcess(join(import.meta.dirname, 'load.ts'), {});
  return {
    pid: child.pid,
    run: async (load) => {
      const reply = once(child.process, 'message');
      child.process.send(load);
      // Sent by load.ts.
      const [message] = (await reply) as [{ result?: LoadResult; fault?: string }];
      const fault = message.fault ?? message.result?.fault;
      if (message.result === undefined || fault !== undefined) throw new BenchFailed(`the load failed: ${fault}`);
      return message.result;
    },
    stop: () => child.stop(),
  };
}
