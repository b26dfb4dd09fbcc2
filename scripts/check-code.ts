/**
 * Prints figures of the code in `src`, without its tests, and fails when one exceeds its limit. Run by `npm run check`. Spreads of
 * literals are counted in all code.
 * `--list` also prints the places that each figure counts. Lower a limit when the figure improves. Only a feature or a fix may raise
 * the limit of lines.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { countLiteralSpreads, type Figure, measure } from './code-figures.ts';

/** The script suggests a lower limit when the figure is better by `step` or more. */
const limits: Readonly<Record<Figure['name'], { limit: number; goal: number; step: number }>> = {
  lines: { limit: 89_400, goal: 48_000, step: 100 },
  cycles: { limit: 0, goal: 0, step: 1 },
  plainErrors: { limit: 0.4, goal: 3, step: 0.1 },
  longFunctions: { limit: 0, goal: 0, step: 1 },
  repeatedNames: { limit: 0, goal: 0, step: 1 },
  undocumented: { limit: 1, goal: 10, step: 1 },
  anys: { limit: 0, goal: 0, step: 1 },
  literalSpreads: { limit: 0, goal: 0, step: 1 },
};

const root = process.cwd();
const isList = process.argv.includes('--list');
const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
if (files.length === 0) {
  console.error(`check-code: no source files in ${join(root, 'src')}: run it in the folder of the repository`);
  process.exitCode = 1;
}
const absolute = (paths: readonly string[]) => paths.map((path) => join(root, path));
const spreads = countLiteralSpreads(
  absolute(globSync('{src,client/src,bench,scripts,test}/**/*.ts', { cwd: root, exclude: ['**/node_modules'] })),
  root,
);
for (const { name, value, text, places } of [spreads, ...measure(absolute(files), root)]) {
  const { limit, goal, step } = limits[name];
  console.log(`check-code: ${text} (limit ${limit}, goal ${goal})`);
  if (value > limit || isList) for (const place of places) console.log(`    ${place}`);
  if (value > limit) {
    console.error(`check-code: ${name}: ${value} exceeds the limit of ${limit}`);
    process.exitCode = 1;
  } else if (limit > goal && limit - value >= step) {
    console.log(`    → lower the limit of ${name} in scripts/check-code.ts to ${value}`);
  }
}
