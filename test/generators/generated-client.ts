import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { makeTestFolder } from '../support/test-folder.ts';

const packageFolder = import.meta.dirname;
const repositoryFolder = join(packageFolder, '../..');
/** The slowest step, the start of a Java program, takes a few seconds on an idle machine. */
const stepLimitMs = 120_000;

/** The result of a program that ran to its end. */
export type ProgramResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** A folder in which one client is generated, compiled and run. */
export type GeneratorFolder = {
  readonly path: string;
  /** Runs a program of the generator package, or of the machine, in this folder. Throws if it fails. */
  run(program: string, args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<ProgramResult>;
  remove(): void;
};

/** Runs a program with loopback addresses only in its environment, and without telemetry. */
async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, environment = {} }: { readonly cwd: string; readonly environment?: Readonly<Record<string, string>> },
): Promise<ProgramResult> {
  const bins = [join(packageFolder, 'node_modules/.bin'), join(repositoryFolder, 'node_modules/.bin')];
  const { PATH = '' } = process.env;
  const quiet = { DO_NOT_TRACK: '1', KUBB_DISABLE_TELEMETRY: '1', NO_COLOR: '1', CI: 'true' };
  const env = { HOME: cwd, ...quiet, ...environment, PATH: [...bins, PATH].join(delimiter) };
  return await new Promise((resolve) => {
    const options = { cwd, env, timeout: stepLimitMs, maxBuffer: 64 * 1_048_576 };
    execFile(program, args, options, (fault, stdout, stderr) => {
      const code = fault === null ? 0 : typeof fault.code === 'number' ? fault.code : 1;
      resolve({ code, stdout, stderr: fault === null || stderr !== '' ? stderr : fault.message });
    });
  });
}

/** Creates a folder with both OpenAPI documents, the programs and configurations, and the packages of the generators. */
export function makeGeneratorFolder(documents: Readonly<Record<string, string>>): GeneratorFolder {
  const path = makeTestFolder('cs-generated-');
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(path, name), text);
  cpSync(join(packageFolder, 'programs'), path, { recursive: true });
  cpSync(join(packageFolder, 'configs'), path, { recursive: true });
  // orval finds the version of zod in it.
  cpSync(join(packageFolder, 'package.json'), join(path, 'package.json'));
  symlinkSync(join(packageFolder, 'node_modules'), join(path, 'node_modules'));
  mkdirSync(join(path, 'generated'));
  return {
    path,
    run: async (program, args, environment) => {
      const result = await runProgram(program, args, { cwd: path, ...(environment && { environment }) });
      if (result.code === 0) return result;
      throw new GeneratorFailed(
        `${program} ${args.join(' ')}\n${result.stdout.slice(-6_000)}\n${result.stderr.slice(-3_000)}`,
      );
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** A generator, a compiler or a generated client failed. */
class GeneratorFailed extends Error {
  override readonly name = 'GeneratorFailed';
}

const compilerOptions = {
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: ['node'],
  typeRoots: [join(repositoryFolder, 'node_modules/@types')],
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
};

/** Compiles a program and all generated files strictly, bundles the program, runs it, and returns what it prints. */
export async function compileAndRun(
  folder: GeneratorFolder,
  program: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const tsconfig = join(folder.path, 'tsconfig.json');
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions, files: [program], include: ['generated'] }));
  await folder.run(process.execPath, [join(repositoryFolder, 'node_modules/typescript/bin/tsc'), '-p', tsconfig]);
  const bundle = ['--bundle', '--platform=node', '--format=esm', '--outfile=program.mjs'];
  // Bundled CommonJS packages call `require`, which ES modules do not have.
  const banner =
    "--banner:js=import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  await folder.run('esbuild', [program, ...bundle, banner, '--log-level=error']);
  const { stdout } = await folder.run(process.execPath, ['program.mjs'], environment);
  return stdout;
}
