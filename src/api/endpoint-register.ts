import { hash } from 'node:crypto';
import { canonicalJson, type Json } from '../kernel/canonical-json.ts';
import type { CallerKind, Operation } from './operation.ts';

/** One entry of the register of endpoints, as `GET /v1` publishes it and `register.lock` keeps it. */
export type Endpoint = {
  readonly name: string;
  readonly since: string;
  readonly method: string;
  readonly path: string;
  readonly scope: string | null;
  /** The permitted callers: `clients`, `citizens` or `staff`. */
  readonly callers: readonly CallerKind[];
  readonly summary: string;
  /** SHA-256 of the canonical JSON of request and responses. Two servers with the same hash have the same interface. */
  readonly schemaHash: string;
};

/** An entry with the schemas that its hash covers, as `register.lock` keeps it. */
export type LockedEndpoint = Endpoint & { readonly request: Json; readonly responses: Json };

/** The register of the operations, in their order. */
export function describeEndpoints<P>(operations: readonly Operation<P>[]): readonly LockedEndpoint[] {
  return operations.map((operation) => {
    const { name, since, method, path, scope, callers, summary } = operation;
    const request = plainJson(operation.request);
    const responses = plainJson(
      Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [status, response.schema ?? null]),
      ),
    );
    const schemaHash = `sha-256:${hash('sha256', canonicalJson({ request, responses }), 'base64')}`;
    return { name, since, method, path, scope, callers, summary, schemaHash, request, responses };
  });
}

function plainJson(value: unknown): Json {
  // TypeBox schemas are JSON, except for symbols, which JSON.stringify leaves out.
  return JSON.parse(JSON.stringify(value)) as Json;
}
