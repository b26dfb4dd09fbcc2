import { open, statfs } from 'node:fs/promises';

// Looks at each place that the arguments name, and tells those that answer, also by saying no. `places.ts` starts it.

async function probePath(path: string): Promise<void> {
  // What the system remembers of a path may answer for a mount that is dead; how full it is, only the mount says.
  await statfs(path);
  await using _file = await open(path, 'r');
}

// It has begun.
process.send?.(true);
for (const path of process.argv.slice(2)) {
  void probePath(path)
    .catch(() => undefined)
    .then(() => process.send?.(path));
}
