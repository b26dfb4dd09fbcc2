import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BaselineKeys, newBaselineToken } from './baseline-keys.ts';
import { documentBytes, documentSets } from './bench-documents.ts';
import { makeBenchFolder } from './bench-folder.ts';
import { citizenCount, writeRegister } from './citizens.ts';
import { createInstallation, type Installation, importRegister } from './installation.ts';
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts';
import { type BenchPostgres, startBenchPostgres } from './postgres.ts';

/** The shared resources of all benches in one run. `stop` releases them at the end of the run. */
export type BenchEnvironment = {
  /** On a real disk, because the databases are here and each sync must reach the disk. */
  readonly folder: string;
  readonly registerPath: string;
  /** The documents as plain files, named by set and number. */
  readonly documentFolder: string;
  readonly load: LoadGenerator;
  readonly postgres: BenchPostgres;
  readonly baseline: BaselineKeys & { readonly token: string };
  readonly logProgress: (text: string) => void;
  stop(): Promise<void>;
};

/** Writes the register and the documents as files, and starts PostgreSQL and the load generator. */
export async function prepareBenchEnvironment(logProgress: (text: string) => void): Promise<BenchEnvironment> {
  const folder = makeBenchFolder('cs-bench-');
  const registerPath = join(folder, 'register.csv');
  await writeRegister(registerPath, citizenCount);
  const documentFolder = join(folder, 'files');
  mkdirSync(documentFolder);
  for (const set of documentSets) {
    for (let index = 0; index < set.count; index += 1) {
      writeFileSync(join(documentFolder, documentFileName(set.name, index)), documentBytes(set, index));
    }
  }
  const postgres = await startBenchPostgres();
  const load = startLoadGenerator();
  return {
    folder,
    registerPath,
    documentFolder,
    load,
    postgres,
    logProgress,
    baseline: await newBaselineToken(),
    stop: async () => {
      await load.stop();
      await postgres.stop();
    },
  };
}

function documentFileName(set: string, index: number): string {
  return `${set}-${index}.pdf`;
}

/** The URL paths at which the baselines serve the plain files of a set. */
export function baselineDocumentPaths(set: '10k' | '1m'): string[] {
  const count = documentSets.find(({ name }) => name === set)?.count ?? 0;
  return Array.from({ length: count }, (_, index) => `/documents/${documentFileName(set, index)}`);
}

export type BenchEngine = 'SQLite' | 'PostgreSQL';
export const benchEngines: readonly BenchEngine[] = ['SQLite', 'PostgreSQL'];

let installationCount = 0;

/** Creates an installation on that engine, without citizens. */
export async function newInstallation(environment: BenchEnvironment, engine: BenchEngine): Promise<Installation> {
  installationCount += 1;
  const name = `installation_${installationCount}`;
  const url = engine === 'PostgreSQL' ? await environment.postgres.create(name) : undefined;
  return createInstallation(join(environment.folder, name), url);
}

/** Creates an installation and imports the whole register. */
export async function installationWithRegister(
  environment: BenchEnvironment,
  engine: BenchEngine,
): Promise<Installation> {
  const installation = await newInstallation(environment, engine);
  await importRegister(installation, environment.registerPath);
  return installation;
}
