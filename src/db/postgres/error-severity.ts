import type pg from 'pg';

// Quiet: what a block catches itself is in no log.
const captureErrorSql = `do $$ begin perform 1 / 0;
  exception when division_by_zero then perform set_config('citizen_services.sample', sqlerrm, false);
end $$`;
const raiseErrorSql = `do $$ begin
  raise exception 'asked in which word this server says ERROR: its lc_messages is not English';
end $$`;

/**
 * The word in which a server says that a statement was refused, and no more than that. With other `lc_messages` than English
 * it is translated, and the library does not give the one that never is. Then the server is made to say it, once a connection.
 */
export async function readErrorSeverity(client: pg.Client): Promise<string> {
  await client.query(captureErrorSql);
  const { rows } = await client.query("select current_setting('citizen_services.sample') as sample");
  if (rows[0]?.sample === 'division by zero') return 'ERROR';
  const error: unknown = await client.query(raiseErrorSql).catch((error: unknown) => error);
  return String(Object(error).severity);
}
