import { type Statement, WriteRefused } from './database.ts';

const requireActiveSql =
  'insert into root_key (root_key_id, retired) values ($1, false) on conflict (root_key_id) do update set retired = false where not root_key.retired returning root_key_id';

/**
 * Stands in each unit that stores what this root key has wrapped. The unit is refused once the root is retired; and a retirement
 * waits until the unit is stored, so that a rotation finds what it stored.
 */
export function requireActiveRootKey(rootKeyId: string): Statement {
  return { sql: requireActiveSql, args: [rootKeyId], rows: 1 };
}

/** Behind it nothing is stored that this root key has wrapped, by any process on any host. */
export function retireRootKey(rootKeyId: string): Statement {
  return {
    sql: 'insert into root_key (root_key_id, retired) values ($1, true) on conflict (root_key_id) do update set retired = true',
    args: [rootKeyId],
  };
}

/** Nothing of the unit is stored: a rotation has retired the root key that wrapped what it holds. */
export class RootKeyRetired extends Error {
  constructor(rootKeyId: string, options: ErrorOptions) {
    super(
      `root key ${rootKeyId} wraps nothing any more, for it was rotated: bring the new file to this host and run the command again; see docs/operating.md#the-root-key`,
      options,
    );
    this.name = 'RootKeyRetired';
  }
}

/** Waits for a unit to be written; rejects with `RootKeyRetired` where that is why it was refused. */
export async function rejectIfRetired<T>(unit: readonly Statement[], written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (cause) {
    const refused = cause instanceof WriteRefused ? unit[cause.statement] : undefined;
    if (refused?.sql !== requireActiveSql) throw cause;
    throw new RootKeyRetired(String(refused.args?.[0]), { cause });
  }
}
