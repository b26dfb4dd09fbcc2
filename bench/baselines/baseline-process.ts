import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BaselineKeys } from '../baseline-keys.ts';
import { type Child, firstMessage, fork } from '../child.ts';

/** What a baseline is told at its start. */
export type BaselineOrder = {
  readonly keys: BaselineKeys;
  /** The folder of the documents, as plain files. */
  readonly files: string;
  readonly database?: { readonly postgres: string } | { readonly sqlite: string };
  readonly smtpPort?: number;
  readonly redisPort?: number;
};

export type Baseline = Child & { readonly port: number };

/** Starts one of the baselines beside this file and waits until it listens. */
export async function startBaseline(
  name: 'bare-fastify' | 'express-queue' | 'express-team' | 'fastify-files',
  order: BaselineOrder,
): Promise<Baseline> {
  const child = fork(join(import.meta.dirname, `${name}.ts`), {
    args: [JSON.stringify(order)],
    env: { NODE_ENV: 'production' },
  });
  // `listening` below sends it.
  const { port } = (await firstMessage(child)) as { port: number };
  return { ...child, port };
}

/** Tells the parent where a baseline listens; called in its own process. */
export function listening(server: Server): void {
  const { port } = server.address() as AddressInfo;
  process.send?.({ port });
}
