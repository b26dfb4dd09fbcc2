import { join } from 'node:path';
import { replacePrivateFile } from './demo-commands.ts';

/** The members of `demo.json` that the API collections need. */
type DemoAccess = {
  readonly baseUrl: string;
  readonly clients: readonly { readonly clientId: string; readonly clientSecret: string }[];
};

/**
 * Writes the environment files of the API collections (docs/integrate/collections.md) into the data folder: the address, id and
 * secret of the demo, for Postman and for Bruno. Only their owner can read them.
 */
export function writeDemoEnvironments(dataDir: string, { baseUrl, clients: [client] }: DemoAccess): void {
  if (client === undefined) return;
  const { clientId, clientSecret } = client;
  const name = 'citizen-services demo';
  writeOwned(join(dataDir, 'demo.postman_environment.json'), {
    name,
    values: [
      { key: 'baseUrl', value: baseUrl, type: 'default', enabled: true },
      { key: 'clientId', value: clientId, type: 'default', enabled: true },
      { key: 'clientSecret', value: clientSecret, type: 'secret', enabled: true },
    ],
    _postman_variable_scope: 'environment',
  });
  writeOwned(join(dataDir, 'demo.bruno_environment.json'), {
    name,
    variables: [
      { name: 'baseUrl', value: baseUrl, type: 'text', enabled: true, secret: false },
      { name: 'clientId', value: clientId, type: 'text', enabled: true, secret: false },
      { name: 'clientSecret', value: clientSecret, type: 'text', enabled: true, secret: true },
    ],
  });
}

function writeOwned(path: string, content: object): void {
  replacePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`);
}
