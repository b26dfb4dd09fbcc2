import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Linux reports usage per process in /proc. On other systems, the columns for CPU and memory are empty. */
const hasProcFs = existsSync('/proc/self/stat');
const msPerTick = 10;

type Stat = { readonly parent: number; readonly cpuMs: number; readonly endedChildrenMs: number };

function statOf(pid: number): Stat | undefined {
  const path = `/proc/${pid}/stat`;
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (fault) {
    // The process ended after it was listed and before it was read.
    if (fault instanceof Error && !existsSync(path)) return undefined;
    throw fault;
  }
  // The name in parentheses may contain spaces. Field 3 of proc(5) follows it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return {
    parent: field(4),
    cpuMs: (field(14) + field(15)) * msPerTick,
    endedChildrenMs: (field(16) + field(17)) * msPerTick,
  };
}

/** CPU time of a process with all its threads so far, in milliseconds. Undefined without /proc. */
export function cpuOfProcess(pid: number): number | undefined {
  return hasProcFs ? statOf(pid)?.cpuMs : undefined;
}

/** CPU time (ms) of a process and all its descendants, including children that ended, such as those of PostgreSQL. */
export function cpuOfTree(root: number): number | undefined {
  if (!hasProcFs) return undefined;
  const all = new Map<number, Stat>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (stat !== undefined) all.set(Number(name), stat);
  }
  const isBelow = (pid: number): boolean => {
    if (pid === root) return true;
    const parent = all.get(pid)?.parent;
    return parent !== undefined && parent > 1 && isBelow(parent);
  };
  let sum = 0;
  for (const [pid, { cpuMs, endedChildrenMs }] of all) if (isBelow(pid)) sum += cpuMs + endedChildrenMs;
  return sum;
}

/** Resident memory in MiB: now, and the peak since `resetPeakMemory`. */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } | undefined {
  if (!hasProcFs) return undefined;
  const text = readFileSync(`/proc/${pid}/status`, 'latin1');
  const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1_024;
  return { now: mib('VmRSS'), peak: mib('VmHWM') };
}

/** Resets the memory peak of a process of the same user (clear_refs in proc(5)). */
export function resetPeakMemory(pid: number): void {
  if (hasProcFs) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
