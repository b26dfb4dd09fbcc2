import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/engines.ts';
import { createUsedProofs } from './used-proofs.ts';

for (const engine of engines) {
  test(`${engine.name}: however many proofs have ended, a use waits for a hundred of them, and a minute's uses take out all`, async (t) => {
    const db = await engine.open(t);
    const ended = Array.from({ length: 250 }, (_, at) => ({
      sql: "insert into oauth_record (model, id, payload, expires_at) values ('DPoP', $1, '{}', $2)",
      args: [`ended-${at}`, 1_000 + at],
    }));
    await db.write(ended);
    let now = 2_000;
    const isFirst = createUsedProofs({ db, clock: { now: () => now } }, 'DPoP');
    const left: number[] = [];
    const use = async (...jtis: readonly string[]) => {
      assert.ok((await Promise.all(jtis.map((jti) => isFirst('owner', jti, now + 600_000)))).every(Boolean));
      const [row] = await db.read("select count(*) as left_over from oauth_record where id like 'ended-%'");
      left.push(Number(row?.['left_over']));
    };
    await use('early');
    now += 60_000;
    await use('one', 'another');
    assert.equal(await isFirst('owner', 'one', now), false);
    for (const jti of ['two', 'three']) await use(jti);
    await db.write(ended.slice(0, 1));
    await use('four');
    assert.deepEqual(left, [250, 150, 50, 0, 1]);
  });
}
