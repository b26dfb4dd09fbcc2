import { type Static, Type } from 'typebox';
import { parseJsonFile } from '../../config/parse-json-file.ts';
import { levelNames } from '../match/level.ts';
import { nicknameEdges, standardNicknames } from '../match/nicknames.ts';
import { type ClaimAlternatives, type MatchPolicy, shippedPolicies, standardPolicy3 } from '../match/policy.ts';
import { type ClaimName, claimNames } from '../register/claims.ts';

const closed = { additionalProperties: false } as const;
const chance = Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 });
const claim = Type.Union(claimNames.map((name) => Type.Literal(name)));
/** 1 is allowed: in a column with one value a level is certain for one person and for two, and its weight is 0. */
const share = Type.Number({ exclusiveMinimum: 0, maximum: 1 });
const oneOf = Type.Array(claim, { minItems: 1, maxItems: claimNames.length });
const years = Type.Number({ minimum: 0, maximum: 200 });
const claimKey = Type.String({ pattern: `^(${claimNames.join('|')})$` });
const levelKey = Type.String({ pattern: `^(${levelNames.join('|')})$` });

const model = Type.Object(
  {
    claims: Type.Record(claimKey, Type.Record(levelKey, Type.Object({ m: share, u: share }, closed), closed), closed),
    crossed: chance,
    prior: chance,
  },
  closed,
);

const policyFile = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9-]{3,60}$', maxLength: 60 }),
    /** The built-in policy that gives the members that are missing here. */
    basis: Type.Optional(Type.Union([...shippedPolicies.keys()].map((name) => Type.Literal(name)))),
    threshold: Type.Optional(chance),
    bareThreshold: Type.Optional(chance),
    model: Type.Optional(model),
    /** One of these sets must be submitted and agree. A member is a claim or a list of alternatives. */
    minimum: Type.Optional(
      Type.Array(Type.Array(Type.Union([claim, oneOf]), { minItems: 1, maxItems: claimNames.length }), {
        minItems: 1,
        maxItems: 20,
      }),
    ),
    permitted: Type.Optional(oneOf),
    leastDate: Type.Optional(Type.Union([Type.Literal('year'), Type.Literal('month'), Type.Literal('day')])),
    former: Type.Optional(Type.Object({ nameYears: years, addressYears: years }, closed)),
    deceasedMatch: Type.Optional(Type.Boolean()),
    nicknames: Type.Optional(
      Type.Union([
        Type.Literal('standard'),
        Type.Array(Type.Array(Type.String({ minLength: 1, maxLength: 50 }), { minItems: 2, maxItems: 50 }), {
          maxItems: 5_000,
        }),
      ]),
    ),
  },
  closed,
);

/** Reads a policy file; its basis, or `defaultBasis`, supplies missing members. Returns the fault of an invalid file. */
export function parseMatchPolicy(
  text: string,
  defaultBasis: MatchPolicy = standardPolicy3,
): { readonly policy: MatchPolicy } | { readonly fault: string } {
  let file: Static<typeof policyFile>;
  try {
    file = parseJsonFile(policyFile, text);
  } catch (fault) {
    if (fault instanceof TypeError) return { fault: fault.message };
    throw fault;
  }
  if (shippedPolicies.has(file.name)) return { fault: `${file.name} is the name of a built-in policy` };
  const basis = shippedPolicies.get(file.basis ?? defaultBasis.name) ?? defaultBasis;
  const { name, minimum, permitted, nicknames } = file;
  // The schema checked the claim names, and that no list is empty.
  const sets = minimum?.map((set) => set.map((member) => [member].flat() as unknown as ClaimAlternatives));
  return {
    policy: {
      ...basis,
      name,
      threshold: file.threshold ?? basis.threshold,
      bareThreshold: Math.max(file.bareThreshold ?? basis.bareThreshold, file.threshold ?? 0),
      model: (file.model as MatchPolicy['model']) ?? basis.model,
      minimum: sets ?? basis.minimum,
      ...(permitted === undefined ? {} : { permitted: new Set(permitted as readonly ClaimName[]) }),
      leastDate: file.leastDate ?? basis.leastDate,
      former: file.former ?? basis.former,
      deceasedMatch: file.deceasedMatch ?? basis.deceasedMatch,
      names:
        nicknames === undefined
          ? basis.names
          : { ...basis.names, nicknames: nicknames === 'standard' ? standardNicknames : nicknameEdges(nicknames) },
    },
  };
}
