import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { calibratedPolicy, type Policy } from './policy.ts';

const chance = Type.Number({ exclusiveMinimum: 0, maximum: 1 });
const policyFile = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9-]{3,60}$', maxLength: 60 }),
    threshold: chance,
    model: Type.Object(
      {
        claims: Type.Record(
          Type.String({ maxLength: 40 }),
          Type.Record(Type.String({ maxLength: 20 }), Type.Object({ m: chance, u: chance })),
        ),
        crossed: chance,
        prior: chance,
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);

/** The policy that `calibrate` wrote: the calibrated one with weights of its own; undefined for any other text. */
export function parsePolicy(text: string): Policy | undefined {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (fault) {
    if (fault instanceof SyntaxError) return undefined;
    throw fault;
  }
  if (!Check(policyFile, read)) return undefined;
  const { name, threshold, model }: Static<typeof policyFile> = read;
  return { ...calibratedPolicy, name, threshold, model };
}
