import { engines } from '../support/database-engines.ts';

// A process that writes until it is killed: `node store-load.ts ENGINE PLACE ROUND`. It prints each id after the unit
// of it was acknowledged, one a line.
const [name, databaseLocation = '', round = ''] = process.argv.slice(2);
const engine = engines.find((one) => one.name === name);
if (engine === undefined) throw new Error(`no engine ${name}`);
const db = await engine.openAt(databaseLocation);
const writerCount = 24;

async function write(caller: number): Promise<void> {
  for (let n = 0; ; n += 1) {
    const id = `${round}-${caller}-${n}`;
    await db.write([
      { sql: 'insert into effect (id) values ($1)', args: [id] },
      { sql: 'insert into event (id) values ($1)', args: [id] },
    ]);
    // A full pipe is waited for; what is not printed does not count as acknowledged.
    await new Promise((resolve) => process.stdout.write(`${id}\n`, resolve));
  }
}

await Promise.all(Array.from({ length: writerCount }, (_, caller) => write(caller)));
