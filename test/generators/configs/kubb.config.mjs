import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
import { pluginZod } from '@kubb/plugin-zod';

// biome-ignore lint/style/noDefaultExport: the program reads its configuration from the default export
export default defineConfig({
  root: '.',
  input: { path: './openapi.json' },
  output: { path: './generated', clean: true },
  plugins: [
    pluginOas({ generators: [] }),
    pluginTs({ output: { path: 'models' } }),
    pluginClient({ output: { path: 'clients' }, client: 'fetch' }),
    pluginZod({ output: { path: 'zod' } }),
  ],
});
