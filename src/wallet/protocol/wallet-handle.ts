import { hash } from 'node:crypto';
import type { RandomBytes } from '../../kernel/clock.ts';

const handleBytes = 16;

/** The content that a handle opens: the request object or the response of one device, the page, or the page with the code. */
export type HandleKind = 'request' | 'response' | 'page' | 'code-page';

/** A new secret of 128 bits for the path of an address (OpenID4VP 1.0, section 13.3). */
export function createHandle(random: RandomBytes): string {
  return Buffer.from(random(handleBytes)).toString('base64url');
}

/** The stored form of a handle. A reader of the database cannot open the address. */
export function handleTag(kind: HandleKind, handle: string): string {
  return hash('sha256', `citizen-services/wallet-handle@v1\0${kind}\0${handle}`, 'base64url');
}
