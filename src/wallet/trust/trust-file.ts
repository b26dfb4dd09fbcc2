import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Static, Type } from 'typebox';
import { parseJsonFile } from '../../config/parse-json-file.ts';
import { parseSettingFile } from '../../config/setting-file.ts';
import { SettingError } from '../../config/settings.ts';
import { pidDocumentType } from '../formats/pid-claims.ts';
import { type IssuerCertificate, parseIssuerCertificates } from './issuer-certificate.ts';
import { openSignedEntityList, parseEntityList, type TrustedEntityList } from './trusted-entity-list.ts';
import type { CredentialKind } from './wallet-trust.ts';

const closed = { additionalProperties: false } as const;
const text = Type.String({ minLength: 1, maxLength: 1_000 });
// The list comes first, because a message has only the fault of the first schema.
const texts = Type.Union([Type.Array(text, { minItems: 1, maxItems: 20, uniqueItems: true }), text]);
const path = Type.String({ minLength: 1, maxLength: 4_096 });

const kindShape = Type.Object(
  {
    types: Type.Object(
      { 'dc+sd-jwt': Type.Optional(texts), mso_mdoc: Type.Optional(Type.Literal(pidDocumentType)) },
      { ...closed, minProperties: 1 },
    ),
    issuers: Type.Array(
      Type.Union([
        Type.Object({ list: path, signer: Type.Optional(path) }, closed),
        Type.Object({ certificates: path }, closed),
      ]),
      { minItems: 1, maxItems: 50 },
    ),
    assurance: Type.Object({ framework: text, level: text }, closed),
    statusUnknown: Type.Union([Type.Literal('refuse'), Type.Literal('accept')]),
    statusHosts: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z0-9.-]+(:\\d{1,5})?$' }), { maxItems: 100 })),
    statusLists: Type.Optional(Type.Array(Type.String({ pattern: '^https?://' }), { maxItems: 1_000 })),
    citizenIdFrom: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
  },
  closed,
);
const fileShape = Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]{0,31}$' }), kindShape, {
  ...closed,
  minProperties: 1,
  maxProperties: 20,
});

/** Where the issuers of a kind come from: a list that the job fetches, or the content of a file. */
export type IssuerSource =
  | { readonly url: string; readonly signers: readonly IssuerCertificate[] }
  | { readonly file: string; readonly list: TrustedEntityList };

/** A kind of credential with its issuers, and where its status lists may be. */
export type KindConfig = {
  readonly kind: CredentialKind;
  readonly sources: readonly IssuerSource[];
  /** Hosts, some with a port, from which the job may fetch status lists. */
  readonly statusHosts: ReadonlySet<string>;
  /** Status lists that the job fetches before a credential names them. */
  readonly statusLists: readonly string[];
};

/** Whether the operator allows the server to request this status list. Any other address could be a target inside the network. */
export function mayFetchStatusList({ statusHosts }: KindConfig, uri: string): boolean {
  const url = URL.parse(uri);
  return url !== null && /^https?:$/.test(url.protocol) && statusHosts.has(url.host);
}

/** Certificates in a file have no date from which they must not be used. */
const noNextUpdate = Number.POSITIVE_INFINITY;

/** Reads the file of WALLET_TRUST and the files that it names. Paths in it start at its folder. Throws a `SettingError`. */
export async function readTrustFile(file: string, now: number): Promise<readonly KindConfig[]> {
  const kinds = parseSettingFile('WALLET_TRUST', file, (json) => parseJsonFile(fileShape, json));
  try {
    return await Promise.all(
      Object.entries(kinds).map(([name, one]) => readKind(name, one, { folder: dirname(file), now })),
    );
  } catch (fault) {
    if (fault instanceof TypeError) throw new SettingError('WALLET_TRUST', `${JSON.stringify(file)}: ${fault.message}`);
    throw fault;
  }
}

type Place = { readonly folder: string; readonly now: number };

async function readKind(name: string, given: Static<typeof kindShape>, place: Place): Promise<KindConfig> {
  const { types, issuers, assurance, statusUnknown, citizenIdFrom, statusHosts = [], statusLists = [] } = given;
  const country = citizenIdFrom === undefined ? {} : { citizenIdFrom };
  for (const url of statusLists) {
    if (!URL.canParse(url)) throw new TypeError(`/${name}/statusLists: expected URLs, received another text`);
  }
  return {
    kind: { name, types: definedTypes(types), assurance, statusUnknown, ...country },
    sources: await Promise.all(issuers.map((source) => readSource(name, source, place))),
    statusHosts: new Set([...statusHosts, ...statusLists.map((url) => new URL(url).host)]),
    statusLists,
  };
}

function definedTypes(types: Static<typeof kindShape>['types']): CredentialKind['types'] {
  const { 'dc+sd-jwt': sdJwt, mso_mdoc: mdoc } = types;
  return {
    ...(sdJwt === undefined ? {} : { 'dc+sd-jwt': [sdJwt].flat() }),
    ...(mdoc === undefined ? {} : { mso_mdoc: [mdoc] }),
  };
}

type GivenSource = Static<typeof kindShape>['issuers'][number];

async function readSource(name: string, source: GivenSource, { folder, now }: Place): Promise<IssuerSource> {
  const pathOf = (text: string) => resolve(folder, text);
  if ('certificates' in source) {
    const file = pathOf(source.certificates);
    const issuing = inFile(file, parseIssuerCertificates);
    return {
      file,
      list: { sequenceNumber: 1, nextUpdate: noNextUpdate, entities: [{ name: undefined, issuing, revoking: [] }] },
    };
  }
  const signers = source.signer === undefined ? undefined : inFile(pathOf(source.signer), parseIssuerCertificates);
  if (/^https?:/.test(source.list)) {
    if (signers === undefined || !URL.canParse(source.list))
      throw new TypeError(
        `/${name}/issuers: expected a URL as \`list\` with the certificate of its signer as \`signer\``,
      );
    return { url: source.list, signers };
  }
  const file = pathOf(source.list);
  const json = inFile(file, (content) => content);
  if (signers === undefined) return { file, list: named(file, () => parseEntityList(json)) };
  return {
    file,
    list: await openSignedEntityList(json, signers, now).catch((fault: unknown) => namedFault(file, fault)),
  };
}

/** Reads and parses a file that the trust file names. */
function inFile<T>(file: string, parse: (content: string) => T): T {
  return named(file, () => parse(readFileSync(file, 'utf8')));
}

function named<T>(file: string, parse: () => T): T {
  try {
    return parse();
  } catch (fault) {
    return namedFault(file, fault);
  }
}

/** Throws a TypeError that names the file. */
function namedFault(file: string, fault: unknown): never {
  if (fault instanceof Error && 'code' in fault)
    throw new TypeError(
      `expected a file that the user of this process can read, received ${JSON.stringify(file)} (${fault.code})`,
    );
  if (fault instanceof TypeError) throw new TypeError(`${JSON.stringify(file)}: ${fault.message}`, { cause: fault });
  throw fault;
}
