import { timingSafeEqual } from 'node:crypto';
import { type RootKey, UnknownRootKey } from '../crypto/root-key.ts';
import { hmac } from '../kernel/hashing.ts';

// A tab can show the form of one citizen while another citizen signs in with the same browser. Browsers then send that form with the
// cookie of the second citizen. So each form names its citizen by an HMAC (test/attacks/citizen-forms.test.ts). It does not depend on
// the session, so that a form stays valid after a renewal or a later sign-in of the same citizen.

/** The hidden field of the forms of signed-in citizens. */
export const formOwnerField = 'formOwner';

/** Binds forms to the citizen to whom they were shown. */
export type FormOwners = {
  /** The value of the hidden field in the forms of this citizen. */
  valueFor(citizenId: string): string;
  /** Whether the form was shown to this citizen. */
  isOf(form: URLSearchParams | undefined, citizenId: string): boolean;
};

/** Creates the values with the key that encrypts sessions, so that a rotation of the root key ends both at the same time. */
export function createFormOwners(root: Pick<RootKey, 'id' | 'derive' | 'deriveForRoot'>): FormOwners {
  return {
    valueFor: (citizenId) => `${root.id}-${macOf(root.derive('citizen-sessions'), citizenId).toString('base64url')}`,
    isOf: (form, citizenId) => {
      const [rootId = '', received = ''] = form?.get(formOwnerField)?.split(/-(.*)/s) ?? [];
      try {
        const expected = macOf(root.deriveForRoot(rootId, 'citizen-sessions'), citizenId);
        const bytes = Buffer.from(received, 'base64url');
        return bytes.length === expected.length && timingSafeEqual(bytes, expected);
      } catch (fault) {
        if (fault instanceof UnknownRootKey) return false;
        throw fault;
      }
    },
  };
}

const macOf = (key: Uint8Array, citizenId: string) =>
  hmac('sha256', key, `citizen-services/form-owner@v1\0${citizenId}`);
