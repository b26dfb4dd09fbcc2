/** The limits of one presentation. Attack: a wallet that anybody can write sends values that are expensive to read. */
export const presentationLimits = {
  /** Characters of the presentation as text. A credential with a portrait has about 50,000. */
  characters: 262_144,
  disclosures: 500,
  /** Levels of objects and arrays, in JSON and in CBOR. */
  depth: 16,
  /** Values in one CBOR text, counted with those inside of others. */
  cborItems: 10_000,
  /** Certificates from the issuer to below its trust anchor. */
  certificates: 5,
  /** Characters of the URI of a status list. */
  statusUri: 2_048,
} as const;

/** Clocks may differ by this time. */
export const clockSkewMs = 60_000;
