import { type Statement, WriteRefused } from './database.ts';

const requireActiveSql =
  'insert into root_key (root_key_id, retired) values ($1, false) on conflict (root_key_id) do update set retired = false where not root_key.retired returning root_key_id';

/**
 * Belongs in each unit that stores a key wrapped by this root key. The unit is refused once the root key is retired. The
 * statement locks the row of the root key, so that a retirement waits for the unit and a rotation finds the keys of the unit.
 */
export function requireActiveRootKey(rootKeyId: string): Statement {
  return { sql: requireActiveSql, args: [rootKeyId], rows: 1 };
}

/** After this statement, no process on any host stores a key that this root key has wrapped. */
export function retireRootKey(rootKeyId: string): Statement {
  return {
    sql: 'insert into root_key (root_key_id, retired) values ($1, true) on conflict (root_key_id) do update set retired = true',
    args: [rootKeyId],
  };
}

/** Nothing of the unit is stored: a rotation has retired the root key that wrapped its keys. */
export class RootKeyRetired extends Error {
  override name = 'RootKeyRetired';
  constructor(rootKeyId: string, options: ErrorOptions) {
    super(
      `root key ${rootKeyId} was replaced by a rotation: copy the new file to this host and run the command again; see docs/operate/keys.md#the-root-key`,
      options,
    );
  }
}

/** Waits for the write of a unit. Rejects with `RootKeyRetired` if the unit was refused for that reason. */
export async function rejectIfRetired<T>(unit: readonly Statement[], written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (cause) {
    const refused = cause instanceof WriteRefused ? unit[cause.statement] : undefined;
    if (refused?.sql !== requireActiveSql) throw cause;
    throw new RootKeyRetired(String(refused.args?.[0]), { cause });
  }
}
