import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BaselineKeys, newBaselineToken } from './baseline-keys.ts';
import { documentBytes, documentSets } from './bench-documents.ts';
import { makeBenchFolder } from './bench-folder.ts';
import { citizenCount, writeRegister } from './citizens.ts';
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts';
import { type House, importRegister, installHouse } from './our-server.ts';
import { type BenchPostgres, startBenchPostgres } from './postgres.ts';

/** What all benches of one run stand on; taken down at its end. */
export type Ground = {
  /** On a real disk: where the databases are, a sync has to be one. */
  readonly folder: string;
  readonly register: string;
  /** The documents as plain files, named by set and number. */
  readonly files: string;
  readonly load: LoadGenerator;
  readonly postgres: BenchPostgres;
  readonly baseline: BaselineKeys & { readonly token: string };
  readonly note: (text: string) => void;
  stop(): Promise<void>;
};

/** Lays the ground: the register as a file, the documents as files, PostgreSQL and the load generator running. */
export async function layGround(note: (text: string) => void): Promise<Ground> {
  const folder = makeBenchFolder('cs-bench-');
  const register = join(folder, 'register.csv');
  await writeRegister(register, citizenCount);
  const files = join(folder, 'files');
  mkdirSync(files);
  for (const set of documentSets) {
    for (let index = 0; index < set.count; index += 1) {
      writeFileSync(join(files, plainName(set.name, index)), documentBytes(set, index));
    }
  }
  const postgres = await startBenchPostgres();
  const load = startLoadGenerator();
  return {
    ...{ folder, register, files, load, postgres, note },
    baseline: await newBaselineToken(),
    stop: async () => {
      await load.stop();
      await postgres.stop();
    },
  };
}

function plainName(set: string, index: number): string {
  return `${set}-${index}.pdf`;
}

/** The paths of the plain files of a set, as the baselines serve them. */
export function plainPaths(set: '10k' | '1m'): string[] {
  const count = documentSets.find(({ name }) => name === set)?.count ?? 0;
  return Array.from({ length: count }, (_, index) => `/documents/${plainName(set, index)}`);
}

export type Engine = 'SQLite' | 'PostgreSQL';
export const engines: readonly Engine[] = ['SQLite', 'PostgreSQL'];

let houses = 0;

/** A new installation on that engine, without citizens. */
export async function newHouse(ground: Ground, engine: Engine): Promise<House> {
  houses += 1;
  const name = `house_${houses}`;
  const url = engine === 'PostgreSQL' ? await ground.postgres.create(name) : undefined;
  return installHouse(join(ground.folder, name), url);
}

/** A new installation with the whole register. */
export async function filledHouse(ground: Ground, engine: Engine): Promise<House> {
  const house = await newHouse(ground, engine);
  await importRegister(house, ground.register);
  return house;
}
