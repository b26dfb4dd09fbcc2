import type { Operation } from '../operation.ts';
import { capitalize, type SchemaComponents } from './components.ts';
import type { ExampleContext } from './example.ts';
import { withExample } from './schema.ts';

const headerExamples: Readonly<Record<string, string>> = {
  'Webhook-Id': 'evt_01M7WKVMFEE008WANFAS9XRDZX',
  'Webhook-Timestamp': '1795171800',
  'Webhook-Signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
};

/** The `webhooks` of OpenAPI: the calls of the server to URLs of clients. */
export function describeWebhooks<P>(
  operations: readonly Operation<P>[],
  components: SchemaComponents,
): Record<string, unknown> {
  const calls = operations.flatMap(({ webhook: call }) => (call === undefined ? [] : [call]));
  return Object.fromEntries(
    calls.map(({ name, tag, summary, description, headers, schema }) => {
      const exampleContext: ExampleContext = { direction: 'answer', group: tag, idPrefix: 'evt' };
      const json = withExample(schema, exampleContext);
      const content = { 'application/json': { ...json, schema: components.refer(json.schema, capitalize(name)) } };
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
          example: headerExamples[header] ?? 'text',
        })),
        requestBody: { required: true, content },
        responses: {
          204: { description: 'Your webhook accepted the event. Any other 2xx status means the same.' },
          410: { description: 'Your webhook is gone. The server disables it.' },
          default: { description: 'Your webhook did not accept the event. The server repeats the call.' },
        },
      };
      return [name, { post }];
    }),
  );
}
