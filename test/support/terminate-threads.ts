import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { makeTestFolder } from './test-folder.ts';

/** What a process is given so that a signal ends its threads of one program, as a fault of the machine would. */
const preloadFor = (program: string) => `
const threads = require('node:worker_threads');
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(file, options) {
    super(file, options);
    if (String(file).includes('${program}')) process.on('SIGUSR2', () => void this.terminate());
  }
};
require('node:module').syncBuiltinESMExports();
`;

/** Settings of a server whose threads of that program SIGUSR2 ends. */
export function withTerminableThreads(program: string, t: TestContext): { readonly NODE_OPTIONS: string } {
  const folder = makeTestFolder('cs-preload-');
  t.after(() => rmSync(folder, { recursive: true }));
  const preload = join(folder, 'preload.cjs');
  writeFileSync(preload, preloadFor(program));
  return { NODE_OPTIONS: `--require "${preload}"` };
}
