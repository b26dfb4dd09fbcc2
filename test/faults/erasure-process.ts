/**
 * Erases a citizen, and is killed at one step. Run by erasure-killed.test.ts with the citizen id and the number of the step, with
 * the settings of a server. Each write to the list, the database and the document store is two steps: before and after it.
 */
import { withApp } from '../../src/app/app-context.ts';
import { eraseWholeCitizen, loadErasureDeps } from '../../src/app/erasure.ts';
import { readSettings } from '../../src/config/settings.ts';

const [citizenId = '', killedAt] = process.argv.slice(2);
let steps = 0;

function step(): void {
  steps += 1;
  if (steps === Number(killedAt)) process.kill(process.pid, 'SIGKILL');
}

const inSteps =
  <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    step();
    const result = await call(...args);
    step();
    return result;
  };

await withApp(readSettings(process.env), async (app) => {
  const deps = await loadErasureDeps(app);
  const { blobs } = deps.documents;
  await eraseWholeCitizen(
    {
      ...deps,
      commit: inSteps(deps.commit),
      claim: inSteps(deps.claim),
      erasedList: { add: inSteps(deps.erasedList.add) },
      documents: { ...deps.documents, blobs: { ...blobs, remove: inSteps((name: string) => blobs.remove(name)) } },
    },
    citizenId,
    { actor: { operator: 'test' }, keepsRegisterRow: false },
  );
});
