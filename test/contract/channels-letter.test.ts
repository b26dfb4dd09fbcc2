import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createLetterSpool } from '../../src/notifications/channels/letter-spool.ts';
import { letterTemplateData } from '../../src/notifications/letters/letter-data.ts';
import { createLetterRenderer } from '../../src/notifications/letters/letter-renderer.ts';
import { type AddressWindowName, addressWindows } from '../../src/notifications/letters/letter-template.ts';
import type { OutgoingMessage } from '../../src/notifications/notification/channel.ts';
import { readPdfTexts } from '../support/letters.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

const at = Date.UTC(2026, 0, 15, 9);
const newId = createIdGenerator({ now: () => at }, systemRandom);

const letters = {
  latin: [
    'Žofia Ødegård',
    'Your assessment',
    '# What to do\n\nPay **by May**, see [the page](https://tax.example/pay).\n\n- one\n- two',
  ],
  greek: ['Νίκος Παπαδόπουλος', 'Η δήλωσή σας', '# Τι να κάνετε\n\nΠληρώστε **έως τον Μάιο**.\n\n1. ένα\n2. δύο'],
  arabic: ['ليلى حسن', 'إشعاركم', '# ما يجب فعله\n\nادفعوا **قبل مايو** في 2026-05-01.\n\n- أولا\n- ثانيا'],
  devanagari: ['अनिता शर्मा', 'आपकी सूचना', '# क्या करें\n\nकृपया **मई तक** भुगतान करें।\n\n- एक\n- दो'],
} as const;

function letter(
  [name, subject, text]: readonly [string, string, string],
  more: Partial<OutgoingMessage> = {},
): OutgoingMessage {
  return {
    notification: newId('notification'),
    delivery: newId('delivery'),
    attempt: 1,
    address: [name, 'Long Road 17', '0150 Oslo', 'NORWAY'].join('\n'),
    sender: 'Tax Office',
    subject,
    content: { message: text },
    reminder: false,
    category: 'decision' as const,
    language: undefined,
    at,
    ...more,
  };
}

const returnAddress = ['P.O. Box 100', '0101 Oslo'];

function startRenderer(t: TestContext, lettersPerProcess?: number) {
  const renderer = createLetterRenderer(lettersPerProcess === undefined ? {} : { lettersPerProcess });
  t.after(() => renderer.close());
  return renderer;
}

for (const window of Object.keys(addressWindows) as AddressWindowName[]) {
  test(`${window}: letters in four scripts are PDF/UA-1 and have only the address inside the window`, async (t) => {
    const renderer = startRenderer(t);
    for (const [script, texts] of Object.entries(letters)) {
      const data = letterTemplateData(letter(texts), { window, returnAddress });
      assert.ok(data !== undefined);
      const pdf = await renderer.render(data, at);
      assert.ok(pdf instanceof Uint8Array, script);
      // The exporter writes the part into the metadata only after its checks.
      assert.match(Buffer.from(pdf).toString('latin1'), /<pdfuaid:part>1<\/pdfuaid:part>/, script);
      const { boxes, tags } = await readPdfTexts(pdf);
      for (const tag of ['H1', 'H2', 'P', 'LI'])
        assert.ok(tags.includes(`"${tag}"`), `${script}: ${tag} in ${tags.slice(0, 400)}`);
      const { x, y, width, height } = addressWindows[window];
      const touching = boxes.filter(
        (box) => box.bottom > y && box.top < y + height && box.right > x && box.left < x + width,
      );
      const lines = touching.filter(
        (box) => box.top >= y - 0.5 && box.bottom <= y + height && box.left >= x - 0.5 && box.right <= x + width,
      );
      assert.deepEqual(touching, lines, `${script}: a text crosses the edge`);
      const seen = lines.map(({ text }) => text).join(' ');
      for (const part of ['Long Road 17', '0150 Oslo', 'NORWAY'])
        assert.ok(seen.includes(part), `${script}: ${part} in ${seen}`);
      assert.ok(boxes.length > lines.length + 4, `${script}: the letter has a text`);
    }
  });
}

test('a long address wraps inside the window, and one that cannot fit is address-invalid', async (t) => {
  const renderer = startRenderer(t);
  const spool = createLetterSpool({ folder: newFolder(t), window: 'din5008b', renderer });
  const fitting = [
    ['Ada', 'Flat 4, 2nd floor, The Old Flour Mill Building, 128 Long River Promenade', '0150 Oslo'],
    ['Ada', 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengasse 17', '1010 Wien'],
    ['अनिता शर्मा', 'महात्मागांधीराष्ट्रीयराजमार्गपरिसरक्षेत्रभवनसंख्या १७', 'नई दिल्ली'],
    ['W'.repeat(60), 'Road 1', 'Oslo'],
  ];
  for (const lines of fitting) {
    const data = letterTemplateData(letter(letters.latin, { address: lines.join('\n') }), { window: 'din5008b' });
    const pdf = await renderer.render(data ?? '', at);
    assert.ok(pdf instanceof Uint8Array, lines.join());
    const { x, y, width, height } = addressWindows.din5008b;
    const { boxes } = await readPdfTexts(pdf);
    const inside = boxes.filter((box) => box.top >= y - 0.5 && box.bottom <= y + height && box.left < x + width);
    for (const box of inside) assert.ok(box.right <= x + width + 0.1, `${box.text} ends at ${box.right}`);
    const printed = inside
      .map(({ text }) => text)
      .join('')
      .replaceAll(/[\s\u200b]/g, '');
    for (const line of lines) {
      if (!/\p{Script=Devanagari}/u.test(line))
        assert.ok(printed.includes(line.replaceAll(' ', '')), `${line} in ${printed}`);
    }
  }
  const refused = [
    ['Ada', 'x '.repeat(70), 'y '.repeat(70), 'z '.repeat(70), 'u '.repeat(70), 'Oslo'],
    ['Ada', 'x '.repeat(900), 'Oslo'],
    ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
    ['only one'],
  ];
  for (const lines of refused) {
    const outcome = await spool.prepare(letter(letters.latin, { address: lines.join('\n') }));
    assert.deepEqual(outcome, { outcome: 'permanent', reason: 'address-invalid' }, lines.join('|').slice(0, 40));
  }
});

test('a list item is printed with its number in the source', async (t) => {
  const message = '15. Mai 2027\n\n17. Juni 2027\n\n## Then\n1. one\n2. two';
  const data = letterTemplateData(letter(['Ada', 'S', message]), { window: 'din5008b' });
  const pdf = await startRenderer(t).render(data ?? '', at);
  assert.ok(pdf instanceof Uint8Array);
  const printed = (await readPdfTexts(pdf)).boxes.map(({ text }) => text).join(' ');
  assert.match(printed, /15\. Mai 2027 17\. Juni 2027 Then 1\. one 2\. two/);
});

function newFolder(t: TestContext): string {
  const folder = makeTestFolder('letters-');
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a letter reaches the printer with its manifest last, and its outcome can be queried', async (t) => {
  const folder = newFolder(t);
  const channel = createLetterSpool({ folder, window: 'din5008b', renderer: startRenderer(t) });
  const message = letter(letters.greek);
  const name = `${message.delivery}.1`;
  assert.equal(await channel.queryOutcome?.(message), undefined);
  const ready = await channel.prepare(message);
  assert.ok('call' in ready);
  assert.deepEqual(await channel.queryOutcome?.(message), { outcome: 'temporary', reason: 'provider-unreachable' });
  assert.equal(existsSync(join(folder, `${name}.json`)), false);
  assert.equal(existsSync(join(folder, `${name}.pdf`)), false);
  assert.deepEqual(await ready.call(), { outcome: 'sent', providerRef: name });
  assert.deepEqual(await channel.queryOutcome?.(message), { outcome: 'sent', providerRef: name });
  const manifest: unknown = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  const pdf = readFileSync(join(folder, `${name}.pdf`));
  assert.deepEqual(manifest, {
    letter: `${name}.pdf`,
    sha256: createHash('sha256').update(pdf).digest('hex'),
    bytes: pdf.length,
    notification: message.notification,
    category: 'decision',
    window: 'din5008b',
    madeAt: '2026-01-15T09:00:00.000Z',
  });
  const left = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => file !== 'making');
  assert.deepEqual(left.sort(), [`${name}.json`, `${name}.pdf`]);
});

test('a letter that is dropped before printing leaves no file, and letters in parallel all arrive', async (t) => {
  const folder = newFolder(t);
  const channel = createLetterSpool({ folder, window: 'din5008b', renderer: startRenderer(t) });
  const dropped = await channel.prepare(letter(letters.latin));
  assert.ok('drop' in dropped);
  dropped.drop();
  const all = await Promise.all(
    Array.from({ length: channel.concurrency }, async () => {
      const ready = await channel.prepare(letter(letters.latin));
      return 'call' in ready ? await ready.call() : ready;
    }),
  );
  assert.deepEqual(new Set(all.map(({ outcome }) => outcome)), new Set(['sent']));
  const files = () =>
    readdirSync(folder, { recursive: true })
      .map(String)
      .filter((file) => file !== 'making');
  await waitUntil(async () => files().length === 2 * channel.concurrency);
  assert.deepEqual(new Set(files().map((file) => file.slice(file.lastIndexOf('.')))), new Set(['.json', '.pdf']));
});

const count = Number(process.env['LETTERS'] ?? 300);

test(`${count} letters are rendered in constant memory, in at least four processes`, async (t) => {
  const renderer = startRenderer(t, Math.ceil(count / 4));
  const scripts = Object.values(letters);
  const pids = new Set<string>();
  let [childPeak, parentStart] = [0, 0];
  for (let number = 0; number < count; number += 1) {
    const data = letterTemplateData(letter(scripts[number % scripts.length] ?? letters.latin), { window: 'din5008b' });
    assert.ok((await renderer.render(data ?? '', at)) instanceof Uint8Array);
    if (number === Math.floor(count / 4)) parentStart = process.memoryUsage.rss();
    for (const pid of childrenOf()) {
      pids.add(pid);
      childPeak = Math.max(childPeak, residentOf(pid));
    }
  }
  const grown = (process.memoryUsage.rss() - parentStart) / 2 ** 20;
  t.diagnostic(
    `${pids.size} children, the largest ${Math.round(childPeak / 2 ** 20)} MiB; the parent grew ${Math.round(grown)} MiB`,
  );
  assert.ok(pids.size >= 4);
  assert.ok(childPeak < 400 * 2 ** 20 && grown < 64);
});

function childrenOf(): string[] {
  return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid !== '');
}

function residentOf(pid: string): number {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return 0;
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(path, 'utf8'))?.[1] ?? 0) * 1_024;
}
