import { defineConfig } from 'orval';

// biome-ignore lint/style/noDefaultExport: the program reads its configuration from the default export
export default defineConfig({
  api: { input: './openapi.json', output: { target: './generated/api.ts', client: 'zod' } },
});
