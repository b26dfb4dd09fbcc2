import type { Operation } from '../operation.ts';
import type { ExampleContext } from './example.ts';
import { withExample } from './schema.ts';

/** The `webhooks` of OpenAPI: what the server sends to addresses of clients. Receivers can be generated from it. */
export function describeWebhooks<P>(operations: readonly Operation<P>[]): Record<string, unknown> {
  const calls = operations.flatMap(({ webhook: call }) => (call === undefined ? [] : [call]));
  return Object.fromEntries(
    calls.map(({ name, tag, summary, description, headers, schema }) => {
      const exampleContext: ExampleContext = { direction: 'answer', group: tag, idPrefix: 'evt' };
      const post = {
        operationId: name,
        tags: [tag],
        summary,
        description,
        security: [],
        parameters: Object.entries(headers).map(([header, what]) => ({
          name: header,
          in: 'header',
          required: true,
          description: what,
          schema: { type: 'string', maxLength: 1_024, pattern: '^[ -~]+$' },
        })),
        requestBody: { required: true, content: { 'application/json': withExample(schema, exampleContext) } },
        responses: {
          204: { description: 'Taken. Any other 2xx says the same.' },
          410: { description: 'Not wanted any more: the webhook is disabled.' },
          default: { description: 'Not taken: it is called again.' },
        },
      };
      return [name, { post }];
    }),
  );
}
