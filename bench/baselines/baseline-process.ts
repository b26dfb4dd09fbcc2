import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BaselineKeys } from '../baseline-keys.ts';
import { type BenchProcess, firstMessage, startProcess } from '../child.ts';

/** What a baseline is told at its start. */
export type BaselineOptions = {
  readonly keys: BaselineKeys;
  /** The folder of the documents, as plain files. */
  readonly files: string;
  readonly database?: { readonly postgres: string } | { readonly sqlite: string };
  readonly smtpPort?: number;
  readonly redisPort?: number;
};

export type Baseline = BenchProcess & { readonly port: number };

/** Starts one of the baselines beside this file and waits until it listens. */
export async function startBaseline(
  name: 'bare-fastify' | 'express-queue' | 'express-server' | 'fastify-files',
  options: BaselineOptions,
): Promise<Baseline> {
  const child = startProcess(join(import.meta.dirname, `${name}.ts`), {
    args: [JSON.stringify(options)],
    env: { NODE_ENV: 'production' },
  });
  // `listening` below sends it.
  const { port } = (await firstMessage(child)) as { port: number };
  return { ...child, port };
}

/** Tells the parent where a baseline listens; called in its own process. */
export function reportPort(server: Server): void {
  const { port } = server.address() as AddressInfo;
  process.send?.({ port });
}
