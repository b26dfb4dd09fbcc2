import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { createReplayDetector } from './used-proof-store.ts';

/** What the adapters of the authorization server need; `findClient` answers its metadata in the words of RFC 7591. */
export type AdapterDeps = {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly clock: Clock;
  readonly findClient: (clientId: string) => Promise<AdapterPayload | undefined>;
  /** Makes the error that the authorization server answers when a proof came twice. */
  readonly createReplayError: () => Error;
};

/** How long the id of a proof is remembered: longer than any that is accepted can live. */
const replayWindowMs = 900_000;

/**
 * The storage of oidc-provider, on our tables. Only what client credentials use is served: clients, and the ids of used
 * proofs. Access tokens are JWTs and are not stored. Whatever else is asked is a feature that is switched off.
 */
export function createOauthAdapter(deps: AdapterDeps): (model: string) => Adapter {
  const replay = replayAdapter(deps);
  const clients: Adapter = { ...unsupportedAdapter, find: deps.findClient };
  return (model) => {
    if (model === 'Client') return clients;
    return model === 'ReplayDetection' ? replay : unsupportedAdapter;
  };
}

/** Remembers used assertions; that a name stands there already is found by the insertion itself. */
function replayAdapter({ db, clock, createReplayError }: AdapterDeps): Adapter {
  const isFirst = createReplayDetector({ db, clock }, 'ReplayDetection');
  return {
    ...unsupportedAdapter,
    find: () => Promise.resolve(undefined),
    async upsert(id) {
      if (!(await isFirst('', id, clock.now() + replayWindowMs))) throw createReplayError();
    },
  };
}

const rejectUnsupported = () => Promise.reject(new Error('this part of the authorization server is switched off'));
const unsupportedAdapter: Adapter = {
  find: rejectUnsupported,
  upsert: rejectUnsupported,
  findByUserCode: rejectUnsupported,
  findByUid: rejectUnsupported,
  consume: rejectUnsupported,
  destroy: rejectUnsupported,
  revokeByGrantId: rejectUnsupported,
};
