import type { HttpRequest, HttpSend } from './http-client.ts';
import { fetchOnce } from './http-client.ts';

/** Heap size (bytes) and event loop delay of a server process. */
type ServerVitals = { readonly heap: number; readonly lagMs: number };

async function readVitals(adminPort: number): Promise<ServerVitals> {
  const text = await (await fetchOnce(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return { heap: value('nodejs_heap_size_used_bytes'), lagMs: value('nodejs_eventloop_lag_seconds') * 1_000 };
}

/** The minimum of 60 measurements: after a garbage collection, and without a delay by other programs. `work` creates garbage. */
export async function settledVitals(adminPort: number, ask: HttpSend, work: HttpRequest): Promise<ServerVitals> {
  let least = await readVitals(adminPort);
  for (let look = 0; look < 60; look += 1) {
    await ask(work);
    const { heap, lagMs } = await readVitals(adminPort);
    least = { heap: Math.min(least.heap, heap), lagMs: Math.min(least.lagMs, lagMs) };
  }
  return least;
}
