import type { Operation } from '../operation.ts';
import type { ExampleContext } from './example.ts';
import { withExample } from './schema.ts';

/** The `webhooks` of OpenAPI: the calls of the server to URLs of clients. */
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
          204: { description: 'Accepted. Any other 2xx means the same.' },
          410: { description: 'Disables the webhook.' },
          default: { description: 'Not accepted. The server repeats the call.' },
        },
      };
      return [name, { post }];
    }),
  );
}
