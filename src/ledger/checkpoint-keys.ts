import { hkdfSync } from 'node:crypto';
import type { SigningKey } from '../crypto/signing-key.ts';
import type { MonitorKeys } from './monitor.ts';
import type { NoteSigner } from './tlog/note.ts';
import { createNoteSigner, signatureTypes } from './tlog/note-key.ts';
import { policyWithoutWitnesses, type TlogPolicy } from './tlog/tlog-policy.ts';

/** The signing keys of checkpoints, as the store of signing keys has them. */
export type CheckpointKeys = {
  /** Throws where there is none. */
  current(use: 'checkpoint'): SigningKey;
  inForce(use: 'checkpoint'): readonly { readonly key: SigningKey; readonly retireAt: number | undefined }[];
  allKeys(use: 'checkpoint'): readonly SigningKey[];
  reload(): Promise<void>;
};

/** A key of checkpoints as verifiers know it, and the instant until which it signs; undefined: until it is replaced. */
export type CheckpointSigner = NoteSigner & { readonly retireAt: number | undefined };

/**
 * The keys that sign checkpoints of the log of that name, the newest first: while one is replaced, the old one signs too. Each
 * has its ML-DSA-44 key after it, where `mlDsa` is set.
 */
export function checkpointSigners(keys: CheckpointKeys, origin: string, mlDsa: boolean): readonly CheckpointSigner[] {
  keys.current('checkpoint');
  return keys.inForce('checkpoint').flatMap(({ key, retireAt }) => {
    const seed = seedOf(key);
    const ed25519 = { ...createNoteSigner(signatureTypes.ed25519, origin, seed), retireAt };
    if (!mlDsa) return [ed25519];
    // An attacker who computes the Ed25519 scalar from its public key learns a hash of this seed, never the seed, and so
    // cannot derive the ML-DSA key.
    const mlDsaSeed = hkdfSync('sha256', seed, '', 'citizen-services/checkpoint-ml-dsa-44@v1', 32);
    const second = createNoteSigner(signatureTypes.mlDsaCosignature, origin, new Uint8Array(mlDsaSeed));
    return [ed25519, { ...second, retireAt }];
  });
}

function seedOf({ privateKey }: SigningKey): Buffer {
  const { d = '' } = privateKey.export({ format: 'jwk' });
  return Buffer.from(d, 'base64url');
}

/** The same, made again only when the keys have changed: the publisher calls it many times a second. */
export function createCachedSigners(keys: CheckpointKeys, mlDsa: boolean): (origin: string) => readonly NoteSigner[] {
  let cached: { readonly of: string; readonly signers: readonly NoteSigner[] } | undefined;
  return (origin) => {
    const of = [origin, ...keys.inForce('checkpoint').map(({ key }) => key.kid)].join(' ');
    if (cached?.of !== of) cached = { of, signers: checkpointSigners(keys, origin, mlDsa) };
    return cached.signers;
  };
}

/**
 * The keys by which the monitor knows the log, also retired ones: a published checkpoint may have been signed before its key was
 * withdrawn, until this process and the witnesses have read the newer one. That is no fault of the log.
 */
export function monitorKeys(keys: CheckpointKeys, origin: string): MonitorKeys {
  let cached: { readonly of: string; readonly policy: TlogPolicy } | undefined;
  return {
    refresh: () => keys.reload(),
    policy: () => {
      const ever = keys.allKeys('checkpoint');
      const of = ever.map(({ kid }) => kid).join(' ');
      if (cached?.of !== of) {
        cached = {
          of,
          policy: policyWithoutWitnesses(
            ever.map((key) => createNoteSigner(signatureTypes.ed25519, origin, seedOf(key)).vkey),
          ),
        };
      }
      return cached.policy;
    },
  };
}
