import { type Static, type TSchema, Type } from 'typebox';

// The JSON binding of ETSI TS 119 602, version 1.1.1. It has no other members, so an unknown one makes a list invalid.

const closed = { additionalProperties: false } as const;
const text = Type.String({ minLength: 1, maxLength: 4_096 });
const some = <S extends TSchema>(item: S) => Type.Array(item, { minItems: 1, maxItems: 1_000 });
const optional = Type.Optional;
const instant = Type.String({ format: 'date-time' });
const names = some(Type.Object({ lang: text, value: text }, closed));
const addresses = some(Type.Object({ lang: text, uriValue: text }, closed));
const postalAddresses = some(
  Type.Object(
    {
      lang: text,
      StreetAddress: text,
      Locality: optional(text),
      StateOrProvince: optional(text),
      PostalCode: optional(text),
      Country: text,
    },
    closed,
  ),
);
/** Its content is not specified. `Critical` says whether a reader that does not know it may go on. */
const extensions = optional(Type.Array(Type.Unknown(), { maxItems: 1_000 }));

const digitalIdentity = Type.Object(
  {
    X509Certificates: optional(
      some(
        Type.Object(
          { val: Type.String({ minLength: 1, maxLength: 32_768 }), encoding: optional(text), specRef: optional(text) },
          closed,
        ),
      ),
    ),
    X509SubjectNames: optional(some(text)),
    PublicKeyValues: optional(some(Type.Record(Type.String(), Type.Unknown()))),
    X509SKIs: optional(some(text)),
    OtherIds: optional(some(text)),
  },
  closed,
);

const service = Type.Object(
  {
    ServiceName: names,
    ServiceDigitalIdentity: optional(digitalIdentity),
    ServiceTypeIdentifier: optional(text),
    ServiceStatus: optional(text),
    StatusStartingTime: optional(instant),
    SchemeServiceDefinitionURI: optional(addresses),
    ServiceSupplyPoints: optional(some(Type.Object({ ServiceType: optional(text), uriValue: text }, closed))),
    ServiceDefinitionURI: optional(addresses),
    ServiceInformationExtensions: extensions,
  },
  closed,
);

const history = Type.Object(
  {
    ServiceName: names,
    ServiceDigitalIdentity: digitalIdentity,
    ServiceStatus: text,
    StatusStartingTime: instant,
    ServiceTypeIdentifier: optional(text),
    ServiceInformationExtensions: extensions,
  },
  closed,
);

const entity = Type.Object(
  {
    TrustedEntityInformation: Type.Object(
      {
        TEName: names,
        TETradeName: optional(names),
        TEAddress: optional(
          Type.Object({ TEPostalAddress: optional(postalAddresses), TEElectronicAddress: optional(addresses) }, closed),
        ),
        TEInformationURI: optional(addresses),
        TEInformationExtensions: extensions,
      },
      closed,
    ),
    TrustedEntityServices: some(
      Type.Object(
        { ServiceInformation: service, ServiceHistory: optional(Type.Array(history, { maxItems: 1_000 })) },
        closed,
      ),
    ),
  },
  closed,
);

const pointer = Type.Object(
  {
    LoTELocation: text,
    ServiceDigitalIdentities: some(digitalIdentity),
    LoTEQualifiers: some(
      Type.Object(
        {
          LoTEType: optional(text),
          SchemeOperatorName: names,
          SchemeTypeCommunityRules: optional(addresses),
          SchemeTerritory: optional(text),
          MimeType: text,
        },
        closed,
      ),
    ),
  },
  closed,
);

const scheme = Type.Object(
  {
    LoTEVersionIdentifier: Type.Literal(1),
    LoTESequenceNumber: Type.Integer({ minimum: 1 }),
    LoTEType: optional(text),
    SchemeOperatorName: names,
    SchemeOperatorAddress: optional(
      Type.Object({ SchemeOperatorPostalAddress: postalAddresses, SchemeOperatorElectronicAddress: addresses }, closed),
    ),
    SchemeName: optional(names),
    SchemeInformationURI: optional(addresses),
    StatusDeterminationApproach: optional(text),
    SchemeTypeCommunityRules: optional(addresses),
    SchemeTerritory: optional(text),
    PolicyOrLegalNotice: optional(
      some(
        Type.Union([
          Type.Object({ LoTEPolicy: Type.Object({ lang: text, uriValue: text }, closed) }, closed),
          Type.Object({ LoTELegalNotice: text }, closed),
        ]),
      ),
    ),
    HistoricalInformationPeriod: optional(Type.Integer({ minimum: 0 })),
    PointersToOtherLoTE: optional(some(pointer)),
    ListIssueDateTime: instant,
    NextUpdate: instant,
    DistributionPoints: optional(some(text)),
    SchemeExtensions: extensions,
  },
  closed,
);

/** A list of trusted entities. */
export const listShape = Type.Object(
  {
    LoTE: Type.Object(
      { ListAndSchemeInformation: scheme, TrustedEntitiesList: optional(Type.Array(entity, { maxItems: 10_000 })) },
      closed,
    ),
  },
  closed,
);

/** A service of a list, such as the issuance of PIDs. */
export type ListedService = Static<typeof service>;

/** An entity of a list, such as a PID provider. */
export type ListedEntity = Static<typeof entity>;
