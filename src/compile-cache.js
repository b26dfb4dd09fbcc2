import * as nodeModule from 'node:module';
import { join } from 'node:path';
import './check-runtime.js';

// In JavaScript, so that it runs before the first TypeScript file is read: with a filled cache the part of Node.js that
// strips types is not loaded at all, which halves the processor time of a start and leaves 35 MiB free.
// The cache lies with the program, not in the folder for temporary files, where another user of the machine could put code
// into it; where the program cannot be written to, there is none.
const cache = join(import.meta.dirname, '..', 'node_modules', '.cache', 'citizen-services');
nodeModule.enableCompileCache(cache);
// The threads of this process read it at their start.
process.env['NODE_COMPILE_CACHE'] = cache;
setTimeout(nodeModule.flushCompileCache, 3_000).unref();
