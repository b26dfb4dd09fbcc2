import { SettingError, type Settings } from '../../config/settings.ts';
import type { Database } from '../../db/database.ts';
import type { MatchPolicy } from '../match/policy.ts';
import { findPolicy, policyNames } from './policy-store.ts';

type PolicyDeps = { readonly settings: Settings; readonly db: Pick<Database, 'read'> };

/** The policy of clients that have none of their own. An unknown name ends the start. */
export async function loadDefaultPolicy({ settings, db }: PolicyDeps): Promise<MatchPolicy> {
  const policy = await findPolicy(db.read, settings.verifyPolicy);
  if (policy !== undefined) return policy;
  const known = (await policyNames(db.read)).join(', ');
  const came = JSON.stringify(settings.verifyPolicy);
  throw new SettingError(
    'VERIFY_POLICY',
    `expected one of ${known}, or one that \`policies add FILE\` has stored, ${came} came`,
  );
}
