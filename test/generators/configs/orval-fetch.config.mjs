import { defineConfig } from 'orval';

// biome-ignore lint/style/noDefaultExport: the program reads its configuration from the default export
export default defineConfig({
  api: {
    input: './openapi.json',
    output: {
      target: './generated/api.ts',
      client: 'fetch',
      baseUrl: { runtime: 'process.env.API_URL' },
      // The client cannot send a form to an operation that accepts bytes too.
      override: { contentType: { exclude: ['multipart/form-data'] } },
    },
  },
});
