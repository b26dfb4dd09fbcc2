import { hkdfSync } from 'node:crypto';
import type { SigningKey } from '../crypto/signing-key.ts';
import type { MonitorKeys } from './monitor.ts';
import type { NoteSigner } from './tlog/note.ts';
import { createNoteSigner, signatureTypes } from './tlog/note-key.ts';
import { policyWithoutWitnesses } from './tlog/tlog-policy.ts';

type CheckpointKeys = {
  current(use: 'checkpoint'): SigningKey;
  inForce(use: 'checkpoint'): readonly { readonly key: SigningKey; readonly retireAt: number | undefined }[];
  allKeys(use: 'checkpoint'): readonly SigningKey[];
  reload(): Promise<void>;
};

/** A signer of checkpoints, and the end of its use in epoch ms; undefined until it is replaced. */
type CheckpointSigner = NoteSigner & { readonly retireAt: number | undefined };

/**
 * The signers of checkpoints of the log with that origin, the newest first. While a key is replaced, the old one signs too. With
 * `mlDsa`, each is followed by its ML-DSA-44 key. Throws if there is no current key.
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

/** Caches the signers until the keys change, because the publisher needs them many times a second. */
export function createCachedSigners(keys: CheckpointKeys, mlDsa: boolean): (origin: string) => readonly NoteSigner[] {
  let cached: { readonly of: string; readonly signers: readonly NoteSigner[] } | undefined;
  return (origin) => {
    const of = [origin, ...keys.inForce('checkpoint').map(({ key }) => key.kid)].join(' ');
    if (cached?.of !== of) cached = { of, signers: checkpointSigners(keys, origin, mlDsa) };
    return cached.signers;
  };
}

/**
 * The keys that the monitor trusts, including retired ones: a published checkpoint may have been signed before its key was withdrawn,
 * until this process and the witnesses have read the newer one.
 */
export function monitorKeys(keys: CheckpointKeys, origin: string): MonitorKeys {
  return {
    refresh: () => keys.reload(),
    policy: () => {
      const signers = keys
        .allKeys('checkpoint')
        .map((key) => createNoteSigner(signatureTypes.ed25519, origin, seedOf(key)));
      return policyWithoutWitnesses(signers.map(({ vkey }) => vkey));
    },
  };
}
