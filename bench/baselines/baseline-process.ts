import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BaselineKeys } from '../baseline-keys.ts';
import { type BenchProcess, firstMessage, startProcess } from '../child.ts';

/** The options of a baseline, passed as JSON in its first argument. */
export type BaselineOptions = {
  readonly keys: BaselineKeys;
  /** The folder with the documents as plain files. */
  readonly files: string;
  readonly database?: { readonly postgres: string } | { readonly sqlite: string };
  readonly smtpPort?: number;
  readonly redisPort?: number;
};

export type Baseline = BenchProcess & { readonly port: number };

/** Starts one of the baselines in this folder and waits until it listens. */
export async function startBaseline(
  name: 'bare-fastify' | 'express-queue' | 'express-server' | 'fastify-files',
  options: BaselineOptions,
): Promise<Baseline> {
  const child = startProcess(join(import.meta.dirname, `${name}.ts`), {
    args: [JSON.stringify(options)],
    env: { NODE_ENV: 'production' },
  });
  // Sent by `reportPort`.
  const { port } = (await firstMessage(child)) as { port: number };
  return { ...child, port };
}

/** Sends the port of a baseline to the parent. Called in the process of the baseline. */
export function reportPort(server: Server): void {
  const { port } = server.address() as AddressInfo;
  process.send?.({ port });
}
