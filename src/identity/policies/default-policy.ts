import { SettingError, type Settings } from '../../config/settings.ts';
import type { Database } from '../../db/database.ts';
import type { MatchPolicy } from '../match/policy.ts';
import { findPolicy, policyNames } from './policy-store.ts';

type PolicyDeps = { readonly settings: Settings; readonly db: Pick<Database, 'read'> };

/** The policy of clients without their own policy. Throws `SettingError` for an unknown name, so that the server does not start. */
export async function loadDefaultPolicy({ settings, db }: PolicyDeps): Promise<MatchPolicy> {
  const policy = await findPolicy(db.read, settings.verifyPolicy);
  if (policy !== undefined) return policy;
  const known = (await policyNames(db.read)).join(', ');
  throw new SettingError(
    'VERIFY_POLICY',
    `expected one of ${known}, received ${JSON.stringify(settings.verifyPolicy)}; \`policies add FILE\` stores another policy`,
  );
}
