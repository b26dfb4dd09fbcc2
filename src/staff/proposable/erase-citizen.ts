import { Type } from 'typebox';
import { isCitizenHeld } from '../../documents/retention/retention-store.ts';
import { maxCitizenIdLength } from '../../kernel/id.ts';
import { CitizenUnderLegalHold } from '../../ledger/erase-citizen.ts';
import { defineProposable } from './proposable-operation.ts';

const held = 'A legal hold prevents the erasure of this citizen.';

/** Erases a citizen everywhere. */
export const proposableErasure = defineProposable({
  name: 'eraseCitizen',
  proposers: ['staff:operate'],
  summary: 'Erase a citizen permanently',
  affectsAllServices: true,
  input: Type.Object(
    {
      citizenId: Type.String({ minLength: 1, maxLength: maxCitizenIdLength }),
      keepsRegisterRow: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  check: async ({ citizenId }, { read }) =>
    (await isCitizenHeld(read, citizenId)) ? { fault: held } : { before: { erased: false } },
  apply: async ({ citizenId, keepsRegisterRow = false }, { actor, commitWith, ports }) => {
    try {
      const options = { actor, keepsRegisterRow, commit: commitWith({ erased: true, keepsRegisterRow }) };
      const isErased = await ports.eraseCitizen(citizenId, options);
      return isErased ? undefined : { fault: 'Nothing is known about this id. Compare it with the register.' };
    } catch (fault) {
      if (fault instanceof CitizenUnderLegalHold) return { fault: held };
      throw fault;
    }
  },
});
