import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The languages that have a file of words in this folder, by the tag that each states. */
export async function languagesIn(folder: string): Promise<string[]> {
  const files = globSync('*.ts', { cwd: folder }).map((name) => pathToFileURL(join(folder, name)).href);
  const modules: object[] = await Promise.all(files.map((file) => import(file)));
  const catalogues: { language?: string }[] = modules.flatMap((module) => Object.values(module));
  return catalogues.flatMap(({ language }) => language ?? []).sort();
}
