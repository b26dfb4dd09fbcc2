import { spawn } from 'node:child_process';
import { join } from 'node:path';

const repositoryFolder = join(import.meta.dirname, '../..');
const linterPrograms = {
  spectral: 'node_modules/@stoplight/spectral-cli/dist/index.js',
  redocly: 'node_modules/@redocly/cli/bin/cli.js',
} as const;

/** The OpenAPI document of the repository, which `npm run check` compares with the operations. */
export const openApiPath = join(repositoryFolder, 'docs/reference/openapi.json');

/** The OpenAPI document of the last release, without its examples. */
export const releasedOpenApiPath = join(repositoryFolder, 'spec/released-openapi.json');

/** The exit code and output of a linter. */
type LinterResult = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs a linter of OpenAPI documents to its end, without telemetry and without a check for updates. */
export function runOpenApiLinter(
  program: keyof typeof linterPrograms,
  ...args: readonly string[]
): Promise<LinterResult> {
  const { PATH } = process.env;
  const env = { PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
  const child = spawn(process.execPath, [join(repositoryFolder, linterPrograms[program]), ...args], {
    env,
    cwd: repositoryFolder,
  });
  const pieces: { readonly stdout: Buffer[]; readonly stderr: Buffer[] } = { stdout: [], stderr: [] };
  child.stdout.on('data', (piece: Buffer) => pieces.stdout.push(piece));
  child.stderr.on('data', (piece: Buffer) => pieces.stderr.push(piece));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({ code, stdout: String(Buffer.concat(pieces.stdout)), stderr: String(Buffer.concat(pieces.stderr)) }),
    );
  });
}
