import type { RequestListener } from 'node:http';
import type { Refusal } from '../kernel/refusal.ts';
import type { BufferedResponse } from './buffered-response.ts';

export type PageResponse = BufferedResponse | Refusal;

/** A page or document outside /v1 that answers GET and HEAD; header names in lower case. */
export type PageRoute = {
  readonly path: string;
  /** `acceptEncoding` is the header of the request, for pages that are served compressed. */
  get(params: Readonly<Record<string, string>>, query: URLSearchParams, acceptEncoding?: string): Promise<PageResponse>;
};

/** A request handler of Node.js for some paths. Other methods receive 405. Its responses carry the common headers. */
export type MountedHandler = {
  readonly paths: readonly string[];
  readonly methods: readonly string[];
  readonly handler: RequestListener;
};
