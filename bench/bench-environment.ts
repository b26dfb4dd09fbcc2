import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BaselineKeys, newBaselineToken } from './baseline-keys.ts';
import { documentBytes, documentSets } from './bench-documents.ts';
import { makeBenchFolder } from './bench-folder.ts';
import { citizenCount, writeRegister } from './citizens.ts';
import { createInstallation, type Installation, importRegister } from './installation.ts';
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts';
import { type BenchPostgres, startBenchPostgres } from './postgres.ts';

/** What all benches of one run stand on; taken down at its end. */
export type BenchEnvironment = {
  /** On a real disk: where the databases are, a sync has to be one. */
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

/** Lays the ground: the register as a file, the documents as files, PostgreSQL and the load generator running. */
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
    ...{ folder, registerPath, documentFolder, load, postgres, logProgress },
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

/** The paths of the plain files of a set, as the baselines serve them. */
export function baselineDocumentPaths(set: '10k' | '1m'): string[] {
  const count = documentSets.find(({ name }) => name === set)?.count ?? 0;
  return Array.from({ length: count }, (_, index) => `/documents/${documentFileName(set, index)}`);
}

export type BenchEngine = 'SQLite' | 'PostgreSQL';
export const benchEngines: readonly BenchEngine[] = ['SQLite', 'PostgreSQL'];

let installationCount = 0;

/** A new installation on that engine, without citizens. */
export async function newInstallation(environment: BenchEnvironment, engine: BenchEngine): Promise<Installation> {
  installationCount += 1;
  const name = `house_${installationCount}`;
  const url = engine === 'PostgreSQL' ? await environment.postgres.create(name) : undefined;
  return createInstallation(join(environment.folder, name), url);
}

/** A new installation with the whole register. */
export async function installationWithRegister(
  environment: BenchEnvironment,
  engine: BenchEngine,
): Promise<Installation> {
  const installation = await newInstallation(environment, engine);
  await importRegister(installation, environment.registerPath);
  return installation;
}
