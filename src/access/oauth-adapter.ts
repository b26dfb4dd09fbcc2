import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../store/db.ts';
import { createUsedProofs } from './used-proofs.ts';

/** What the adapters of the authorization server need; `findClient` answers its metadata in the words of RFC 7591. */
export type AdapterRoom = {
  readonly db: Pick<Db, 'read' | 'write'>;
  readonly clock: Clock;
  readonly findClient: (clientId: string) => Promise<AdapterPayload | undefined>;
  /** Makes the error that the authorization server answers when a proof came twice. */
  readonly usedTwice: () => Error;
};

/** How long the id of a proof is remembered: longer than any that is accepted can live. */
const rememberMs = 900_000;

/**
 * The storage of oidc-provider, on our tables. Only what client credentials use is served: clients, and the ids of used
 * proofs. Access tokens are JWTs and are not stored. Whatever else is asked is a feature that is switched off.
 */
export function createOauthAdapter(room: AdapterRoom): (model: string) => Adapter {
  const replay = replayAdapter(room);
  const clients: Adapter = { ...nothing, find: room.findClient };
  return (model) => {
    if (model === 'Client') return clients;
    return model === 'ReplayDetection' ? replay : nothing;
  };
}

/** Remembers used assertions; that a name stands there already is found by the insertion itself. */
function replayAdapter({ db, clock, usedTwice }: AdapterRoom): Adapter {
  const isFirst = createUsedProofs({ db, clock }, 'ReplayDetection');
  return {
    ...nothing,
    find: () => Promise.resolve(undefined),
    async upsert(id) {
      if (!(await isFirst('', id, clock.now() + rememberMs))) throw usedTwice();
    },
  };
}

const switchedOff = () => Promise.reject(new Error('this part of the authorization server is switched off'));
const nothing: Adapter = {
  find: switchedOff,
  upsert: switchedOff,
  findByUserCode: switchedOff,
  findByUid: switchedOff,
  consume: switchedOff,
  destroy: switchedOff,
  revokeByGrantId: switchedOff,
};
