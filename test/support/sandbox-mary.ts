import { type PidAttributes, sandboxPeople } from '../../client/src/sandbox-people.ts';

/** The attributes of the person demo-mary in the sandbox wallet. */
export const sandboxMary: PidAttributes = requiredPerson('demo-mary');

function requiredPerson(id: string): PidAttributes {
  const person = sandboxPeople.get(id);
  if (person === undefined) throw new TypeError(`expected a person of the demo, received ${id}`);
  return person;
}
