import { type Static, Type } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { levelNames } from '../match/level.ts';
import { nicknameEdges, standardNicknames } from '../match/nicknames.ts';
import { type ClaimAlternatives, calibratedPolicy, type MatchPolicy, shippedPolicies } from '../match/policy.ts';
import { type ClaimName, claimNames } from '../register/claims.ts';

const closed = { additionalProperties: false } as const;
const chance = Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 });
const claim = Type.Union(claimNames.map((name) => Type.Literal(name)));
/** Of a column that says the same of everybody, a level is certain for one person as for two: it weighs nothing. */
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
    /** The policy that ships of which everything is taken that is not stated here. */
    basis: Type.Optional(Type.Union([...shippedPolicies.keys()].map((name) => Type.Literal(name)))),
    threshold: Type.Optional(chance),
    bareThreshold: Type.Optional(chance),
    model: Type.Optional(model),
    /** Sets of which one has to be submitted and to match; a member is one claim or any of several. */
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

/** Reads a policy as `calibrate` or an operator wrote it, over the one that it is based on; or says what is wrong with it. */
export function parseMatchPolicy(text: string): { readonly policy: MatchPolicy } | { readonly fault: string } {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (fault) {
    if (fault instanceof SyntaxError) return { fault: 'not JSON' };
    throw fault;
  }
  if (!Check(policyFile, read)) {
    const [, [first]] = Errors(policyFile, read);
    const what = first?.message === 'schema is false' ? 'is not known' : first?.message;
    return { fault: `${first?.instancePath || 'it'} ${what}` };
  }
  const file: Static<typeof policyFile> = read;
  if (shippedPolicies.has(file.name)) return { fault: `${file.name} is a policy that ships` };
  const basis = shippedPolicies.get(file.basis ?? calibratedPolicy.name) ?? calibratedPolicy;
  const { name, minimum, permitted, nicknames } = file;
  // The schema has checked the names of claims, and that no list is empty.
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
