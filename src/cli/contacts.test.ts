import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { openIdentityApp } from '../../test/support/identity-app.ts';
import { makeIdentityFolder } from '../../test/support/identity-people.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { noPreferences } from '../notifications/contact/contact-preferences.ts';
import { findPreferences } from '../notifications/contact/contact-preferences-store.ts';
import { runCommandLine } from './command.ts';
import { type ContactsContext, contactCommands } from './contacts.ts';

type Engine = (typeof engines)[number];

/** Runs `contacts import` on a new database. By default the register has every citizen. */
async function openContacts(t: TestContext, engine: Engine, exists: ContactsContext['register']['exists']) {
  const { importDeps, events } = await openIdentityApp(t, engine);
  const { citizenKeys } = importDeps;
  const folder = makeIdentityFolder(t);
  const kept = async (citizenId: string) => {
    const { preferences, verified } = await findPreferences({ read: importDeps.read, citizenKeys }, citizenId);
    return { preferences, verified };
  };
  const deps = {
    ...importDeps,
    register: { exists },
    random: systemRandom,
    operator: 'ops',
    settings: { phoneCountry: 'GB' },
  };
  return {
    run: async (lines: readonly object[], encoding: BufferEncoding = 'utf8', [begin, end] = ['', '\n']) => {
      const text = begin + lines.map((line) => `${JSON.stringify(line)}${end}`).join('');
      writeFileSync(join(folder, 'contacts.jsonl'), text, encoding);
      let printed = '';
      const print = (text: string) => {
        printed += text;
      };
      const terminal = { stdout: print, stderr: print, isInteractive: false, cwd: folder };
      const commands = contactCommands(async (use) => await use(deps), terminal);
      const code = await runCommandLine(['contacts', 'import', 'contacts.jsonl'], commands, terminal);
      return { code, printed };
    },
    mailOf: async (citizenId: string) => (await kept(citizenId)).verified.email?.address,
    kept,
    events,
  };
}

const mailOf = (citizenId: string, address: string) => ({
  citizenId,
  email: { address, verifiedAt: '2026-01-02T00:00:00Z' },
});

for (const engine of engines) {
  test(`${engine.name}: a line with a character that PostgreSQL cannot store is reported, and the other lines are stored`, async (t) => {
    const contacts = await openContacts(t, engine, async () => true);
    const { code, printed } = await contacts.run([
      mailOf('c-1', 'one@example.org'),
      mailOf('c\u0000x', 'nul@example.org'),
      mailOf('c\ud800x', 'half@example.org'),
      mailOf('c-2', 'two\u0000@example.org'),
      mailOf('c-3', 'three@example.org'),
    ]);
    const detail = 'must not contain NUL or a lone surrogate';
    assert.deepEqual(printed.split('\n'), [
      `line 2: /citizenId ${detail}`,
      `line 3: /citizenId ${detail}`,
      `line 4: /email ${detail}`,
      '2 citizens stored, 3 lines refused.',
      '',
    ]);
    assert.equal(code, 1);
    assert.equal(await contacts.mailOf('c-1'), 'one@example.org');
    assert.equal(await contacts.mailOf('c-3'), 'three@example.org');
  });

  test(`${engine.name}: a file with a byte order mark and CRLF line ends is imported`, async (t) => {
    const contacts = await openContacts(t, engine, async () => true);
    const lines = [mailOf('c-1', 'one@example.org'), mailOf('c-2', 'two@example.org')];
    const { code, printed } = await contacts.run(lines, 'utf8', ['\ufeff', '\r\n\r\n']);
    assert.deepEqual([code, printed], [0, '2 citizens stored, 0 lines refused.\n']);
    assert.equal(await contacts.mailOf('c-1'), 'one@example.org');
  });

  test(`${engine.name}: a line of an import replaces addresses, preferences or both, and the ledger names the operator`, async (t) => {
    const contacts = await openContacts(t, engine, async () => true);
    const at = '2026-01-02T00:00:00Z';
    const email = { address: 'one@example.org', verifiedAt: at };
    const [shortest, longest] = ['+4712345', '+49123456789012'].map((address) => ({ address, verifiedAt: at }));
    const wishes = { ...noPreferences, channels: ['sms', 'email'], language: 'nb' };
    const states = async (line: object) => {
      assert.deepEqual(await contacts.run([{ citizenId: 'c-1', ...line }]), {
        code: 0,
        printed: '1 citizens stored, 0 lines refused.\n',
      });
      return await contacts.kept('c-1');
    };
    assert.deepEqual(await states({ email, phone: longest, wishes }), {
      preferences: wishes,
      verified: { email, phone: longest },
    });
    assert.deepEqual(await states({ phone: shortest }), { preferences: wishes, verified: { phone: shortest } });
    const declined = { ...noPreferences, declined: ['email'], largePrint: true };
    assert.deepEqual(await states({ wishes: declined }), { preferences: declined, verified: { phone: shortest } });
    // Large print stays as it was when a line leaves it out.
    const { preferences } = await states({ wishes: noPreferences });
    assert.deepEqual(preferences, { ...noPreferences, largePrint: true });
    assert.deepEqual(
      (await contacts.events('c-1')).map(({ type, actor }) => [type, actor]),
      [1, 2, 3, 4].map(() => ['contact-wishes.stated', { operator: 'ops' }]),
    );
  });

  test(`${engine.name}: addresses are stored without invisible characters, and a phone number with its country code`, async (t) => {
    const contacts = await openContacts(t, engine, async () => true);
    const verifiedAt = '2026-01-02T00:00:00Z';
    const line = {
      citizenId: 'c-1',
      email: { address: ' \u200bone@exam\u00adple.org\u202c', verifiedAt },
      phone: { address: '\u202a07700\u2010900123\u202c', verifiedAt },
    };
    assert.equal((await contacts.run([line])).code, 0);
    assert.deepEqual((await contacts.kept('c-1')).verified, {
      email: { address: 'one@example.org', verifiedAt },
      phone: { address: '+447700900123', verifiedAt },
    });
  });

  test(`${engine.name}: an invalid line is reported with its fault, and nothing of it is stored`, async (t) => {
    const contacts = await openContacts(t, engine, async (citizenId) => citizenId !== 'c-stranger');
    const at = '2026-01-02T00:00:00Z';
    const email = { address: 'one@example.org', verifiedAt: at };
    const bad: ReadonlyArray<readonly [object, RegExp]> = [
      [{ citizenId: 'c', emial: email }, /^\/emial /],
      [{ citizenId: 'c', email: { ...email, note: 'x' } }, /^\/email\/note /],
      [{ citizenId: 'c', email: { address: 'one@example.org' } }, /^\/email\/verifiedAt /],
      [{ citizenId: 'c', email: { ...email, verifiedAt: 'today' } }, /^\/email\/verifiedAt /],
      [{ citizenId: '', email }, /^\/citizenId /],
      [{ citizenId: 'c'.repeat(201), email }, /^\/citizenId /],
      [{ citizenId: 'c\td', email }, /^\/citizenId must be one line of text without control characters, /],
      [{ email }, /^\/citizenId /],
      [{ citizenId: 'c' }, /^expected email, phone or wishes, received none of them$/],
      [{ citizenId: 'c-stranger', email }, /^the register has no citizen with this id$/],
      [mailOf('c', 'one<two@example.org>'), /^\/email\/address must be one email address/],
      [mailOf('c', 'one@example.org,two'), /^\/email\/address must be one email address/],
      [mailOf('c', `${'x'.repeat(250)}@a.example`), /^\/email\/address /],
      ...['0123 456', '+0123456789', '+471234', '+1234567890123456', '4.4770E+11'].map(
        (address) => [{ citizenId: 'c', phone: { address, verifiedAt: at } }, /^\/phone\/address /] as const,
      ),
      [
        { citizenId: 'c', wishes: { ...noPreferences, channels: ['email'], declined: ['email'] } },
        /^the same channel is in channels and in declined$/,
      ],
      ...Object.keys(noPreferences).map(
        (name) =>
          [
            { citizenId: 'c', wishes: { ...noPreferences, [name]: undefined } },
            new RegExp(`^/wishes/${name} required$`),
          ] as const,
      ),
      [{ citizenId: 'c', email, note: 'x'.repeat(10_000) }, /^expected at most 10000 characters, received \d+$/],
    ];
    const good = mailOf('c'.repeat(200), 'one@example.org');
    const { code, printed } = await contacts.run([...bad.map(([line]) => line), good]);
    const lines = printed.split('\n');
    for (const [index, [, why]] of bad.entries()) {
      const [, number, text = ''] = /^line (\d+): (.*)$/.exec(lines[index] ?? '') ?? [];
      assert.equal(Number(number), index + 1);
      assert.match(text, why);
    }
    assert.deepEqual([code, lines.slice(bad.length)], [1, [`1 citizens stored, ${bad.length} lines refused.`, '']]);
    assert.equal(await contacts.mailOf('c'), undefined);
    assert.equal(await contacts.mailOf(good.citizenId), 'one@example.org');
  });

  test(`${engine.name}: a line that is not a JSON object is reported, and the next line is stored`, async (t) => {
    const contacts = await openContacts(t, engine, async () => true);
    const { code, printed } = await contacts.run([mailOf('c-1', 'one@example.org')], 'utf8', [
      '{"citizenId":\n7\n',
      '',
    ]);
    const expected = [
      'line 1: expected a JSON object, received other text',
      'line 2: must be object',
      '1 citizens stored, 2 lines refused.',
      '',
    ];
    assert.deepEqual([code, printed.split('\n')], [1, expected]);
    assert.equal(await contacts.mailOf('c-1'), 'one@example.org');
  });

  test(`${engine.name}: an address that is not UTF-8 is refused`, async (t) => {
    const contacts = await openContacts(t, engine, async () => true);
    const lines = [mailOf('c-1', 'müller@example.org'), mailOf('c-2', 'two@example.org')];
    const { code, printed } = await contacts.run(lines, 'latin1');
    const refused = 'line 1: expected UTF-8 text; convert the file, for example with iconv\n';
    assert.deepEqual([code, printed], [1, `${refused}1 citizens stored, 1 lines refused.\n`]);
    assert.equal(await contacts.mailOf('c-1'), undefined);
    assert.equal(await contacts.mailOf('c-2'), 'two@example.org');
  });

  test(`${engine.name}: a file without line feeds is read up to the maximum length of a line`, async (t) => {
    const contacts = await openContacts(t, engine, async () => true);
    const { code, printed } = await contacts.run([{ ...mailOf('c-1', 'one@example.org'), note: 'x'.repeat(2 ** 21) }]);
    assert.deepEqual([code, printed], [1, 'a line has more than 1048576 bytes\n']);
  });

  test(`${engine.name}: the import of a large file shows its progress`, async (t) => {
    const contacts = await openContacts(t, engine, async () => true);
    const people = Array.from({ length: 250 }, (_, at) => mailOf(`c-${100 + at}`, 'one@example.org'));
    const { code, printed } = await contacts.run(people);
    assert.equal(code, 0);
    const [first, second, ...rest] = printed.split('\n').map((line) => line.replace(/, \d+\/s.*$/, ''));
    assert.deepEqual(
      [first, second, rest],
      ['40 %, 100 rows', '80 %, 200 rows', ['250 citizens stored, 0 lines refused.', '']],
    );
  });

  test(`${engine.name}: an import stops when the register fails, after the started lines are done`, async (t) => {
    const asked: string[] = [];
    const contacts = await openContacts(t, engine, async (citizenId) => {
      asked.push(citizenId);
      if (citizenId === 'c-2') throw new Error('the register cannot be asked');
      return true;
    });
    const people = ['c-1', 'c-2', 'c-3'];
    const { code, printed } = await contacts.run(people.map((id) => mailOf(id, `${id}@example.org`)));
    assert.deepEqual([code, printed], [1, 'the register cannot be asked\n']);
    assert.deepEqual(asked, people);
    assert.equal(await contacts.mailOf('c-3'), 'c-3@example.org');
  });

  test(`${engine.name}: the later of two lines about one citizen wins, whichever answer of the register comes first`, async (t) => {
    let turns = 100;
    const contacts = await openContacts(t, engine, async () => {
      const wait = turns;
      turns = 0;
      for (let turn = 0; turn < wait; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      return true;
    });
    const { code } = await contacts.run([mailOf('c-1', 'old@example.org'), mailOf('c-1', 'new@example.org')]);
    assert.equal(code, 0);
    assert.equal(await contacts.mailOf('c-1'), 'new@example.org');
  });
}
