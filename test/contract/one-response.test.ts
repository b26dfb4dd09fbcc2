import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Type } from 'typebox';
import { createOpenApiDocument } from '../../src/api/openapi/document.ts';
import { defineOperation, type ListedOperation, type ResponseShape } from '../../src/api/operation.ts';
import { operations } from '../../src/app/operations.ts';
import { openApiPath } from '../support/openapi-linters.ts';

/** The part of the OpenAPI document that declares responses. */
type DeclaredResponses = {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string;
            readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
          }
        >
      >
    >
  >;
};

/** A part of a document and the answer to If-None-Match have statuses of their own (RFC 9110). */
const exemptStatuses = new Set(['206', '304']);

/**
 * The operations with another number of success statuses or media types than one. Generated clients return one type for each
 * operation, and some of them throw at a second status: their program would send a message twice.
 */
function ambiguousOperations({ paths }: DeclaredResponses): string[] {
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, responses }) => {
      const declared = Object.entries(responses).filter(([status]) => /^[123]\d\d$/.test(status));
      const statuses = declared.map(([status]) => status).filter((status) => !exemptStatuses.has(status));
      const types = new Set(declared.flatMap(([, { content = {} }]) => Object.keys(content)));
      return statuses.length === 1 && types.size === 1
        ? []
        : [`${operationId}: ${statuses.join(' and ')}, ${[...types].join(' and ')}`];
    });
}

/** The document of one operation with these responses. */
function documentOf(responses: Readonly<Record<number, ResponseShape>>): DeclaredResponses {
  const operation: ListedOperation = defineOperation({
    name: 'askOne',
    since: '1.0',
    method: 'GET',
    path: '/v1/one',
    scope: 'any',
    callers: ['clients'],
    summary: '',
    description: '',
    request: {},
    responses,
    refusals: [],
    citizenData: false,
    run: async () => ({ plain: { status: 200, json: {} } }),
  });
  const identity = { publicUrl: 'https://api.example.gov', apiVersion: '1.0.0', documentLimit: 1, authMethods: [] };
  // A plain value, as the document is published.
  return JSON.parse(JSON.stringify(createOpenApiDocument([operation], identity))) as DeclaredResponses;
}

const json = { description: '', schema: Type.Object({}) };
const bytes = { description: '', bytes: true } as const;
const text = { description: '', text: { type: 'text/plain', pattern: '', description: '', example: '' } };

test('every operation has one success status and one media type', () => {
  const document = JSON.parse(readFileSync(openApiPath, 'utf8')) as DeclaredResponses;
  assert.deepEqual(ambiguousOperations(document), []);
  const documented = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
  assert.equal(documented.length, operations.length);
});

test('a partial response and a 304 response do not count as a second success status', () => {
  assert.deepEqual(ambiguousOperations(documentOf({ 200: bytes, 206: bytes, 304: { description: '' } })), []);
});

for (const [title, responses, found] of [
  ['two success statuses', { 200: json, 202: json }, '200 and 202, application/json'],
  ['a success and a redirect status', { 200: json, 303: { description: '' } }, '200 and 303, application/json'],
  ['no success status', { 304: { description: '' } }, ', '],
  ['a partial response of another media type', { 200: json, 206: bytes }, '200, application/json and */*'],
  ['JSON at one status and text at another', { 200: json, 201: text }, '200 and 201, application/json and text/plain'],
  ['a success without a media type', { 200: { description: '' } }, '200, '],
] as const) {
  test(`an operation with ${title} is reported`, () => {
    assert.deepEqual(ambiguousOperations(documentOf(responses)), [`askOne: ${found}`]);
  });
}
