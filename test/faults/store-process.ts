import { engines } from '../support/database-engines.ts';

// A process that writes until it is killed: `node store-process.ts ENGINE LOCATION ROUND`. It prints the id of each unit after
// the unit was acknowledged, one per line.
const [name, databaseLocation = '', round = ''] = process.argv.slice(2);
const engine = engines.find((one) => one.name === name);
if (engine === undefined) throw new TypeError(`expected the name of an engine, received ${name}`);
const db = await engine.openAt(databaseLocation);
const writerCount = 24;

async function write(caller: number): Promise<void> {
  for (let n = 0; ; n += 1) {
    const id = `${round}-${caller}-${n}`;
    await db.write([
      { sql: 'insert into effect (id) values ($1)', args: [id] },
      { sql: 'insert into event (id) values ($1)', args: [id] },
    ]);
    // Waits for a full pipe: only a printed id counts as acknowledged.
    await new Promise((resolve) => process.stdout.write(`${id}\n`, resolve));
  }
}

await Promise.all(Array.from({ length: writerCount }, (_, caller) => write(caller)));
