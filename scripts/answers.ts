import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { declaredAnswers } from '../test/answer-check.ts';
import type { Seen } from '../test/answer-watch.ts';
import { makeTestFolder } from '../test/test-folder.ts';

/** What the answers of a test run came to. */
export type Answers = {
  /** Environment for the processes of the run, so that they watch their answers. */
  readonly environment: Readonly<Record<string, string>>;
  /** One sentence for each fault; of a whole run also for each declared answer that was never seen. */
  faults(whole: boolean): readonly string[];
  close(): void;
};

const root = resolve(import.meta.dirname, '..');

/** Watches the answers of all servers of a test run, in whatever process (test/answer-watch.ts). */
export function watchAnswers(): Answers {
  const folder = makeTestFolder('cs-answers-');
  const watcher = pathToFileURL(join(root, 'test/answer-watch.ts'));
  return {
    environment: { ANSWERS_DIR: folder, NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${watcher}` },
    faults: (whole) => faultsOf(readSeen(folder), whole),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function readSeen(folder: string): readonly Seen[] {
  return readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      // A process may have been killed within its last line.
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as Seen),
  );
}

function faultsOf(seen: readonly Seen[], whole: boolean): readonly string[] {
  const wrong = seen.flatMap(({ operation, method, status, faults, by }) =>
    faults.map((fault) => `${operation ?? 'no operation'} ${method} ${status}: ${fault} (${relative(root, by)})`),
  );
  if (!whole) return wrong;
  const declared = declaredAnswers();
  const met = new Set(seen.map(({ operation, status }) => `${operation} ${status}`));
  const isMet = (answer: string) => {
    if (!answer.endsWith(' default')) return met.has(answer);
    const others = declared.filter((other) => other.split(' ')[0] === answer.split(' ')[0]);
    return [...met].some((other) => other.split(' ')[0] === answer.split(' ')[0] && !others.includes(other));
  };
  const unmet = declared.filter((answer) => !isMet(answer));
  process.stdout.write(
    `answers: ${declared.length - unmet.length} of ${declared.length} declared were seen and checked\n`,
  );
  return [...wrong, ...unmet.map((answer) => `no test is answered ${answer}, which the OpenAPI document declares`)];
}
