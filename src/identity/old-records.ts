import type { Read } from '../store/db.ts';

/** Whether somebody is left whom an earlier version imported: such a record lacks keys by which names are found. */
export async function hasOldRecords(read: Read): Promise<boolean> {
  const rows = await read(
    `select given_key from citizen where given_key is null and given_name is not null
      order by given_key limit 1`,
  );
  return rows.length > 0;
}

/** What the log of a server says of them. */
export const oldRecordsNotice =
  'the register holds records of an earlier version, which are not found by every spelling of a name: import its newest file once more, with `import citizens FILE --restart`. See docs/operating.md#old-records';
