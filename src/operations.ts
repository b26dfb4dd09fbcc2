import type { Operation } from './api/operation.ts';
import { listEndpoints } from './oversight/list-endpoints.ts';
import type { OversightPorts } from './oversight/ports.ts';
import { readReceipt } from './oversight/read-receipt.ts';

/** What all operations together are given. */
export type Ports = OversightPorts;

/** The append-only register of endpoints: a new one goes at the end, none is ever taken out or moved. */
export const operations: readonly Operation<Ports>[] = [readReceipt, listEndpoints];
