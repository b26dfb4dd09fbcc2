import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { createMint } from '../../src/kernel/id.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import type { Message } from '../../src/notifications/channels/channel.ts';
import { createLetterSpool } from '../../src/notifications/channels/letter-spool.ts';
import { letterData } from '../../src/notifications/letters/letter-data.ts';
import { createLetterPress } from '../../src/notifications/letters/letter-press.ts';
import { type AddressWindowName, addressWindows } from '../../src/notifications/letters/letter-template.ts';

const at = Date.UTC(2026, 0, 15, 9);
const mint = createMint({ now: () => at }, systemRandom);
const pointsPerMm = 72 / 25.4;

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

function letter([name, subject, text]: readonly [string, string, string], more: Partial<Message> = {}): Message {
  return {
    ...{ notification: mint('notification'), delivery: mint('delivery'), attempt: 1 },
    address: [name, 'Long Road 17', '0150 Oslo', 'NORWAY'].join('\n'),
    ...{
      sender: 'Tax Office',
      subject,
      text,
      content: { message: text },
      reminder: false,
      category: 'decision' as const,
    },
    ...{ recipient: name, language: undefined, at },
    ...more,
  };
}

/** The boxes of all texts of the first page, in mm from the upper left corner. */
async function textsOf(pdf: Uint8Array) {
  const loading = getDocument({ data: new Uint8Array(pdf), useSystemFonts: false, verbosity: 0 });
  const document = await loading.promise;
  const page = await document.getPage(1);
  const height = page.getViewport({ scale: 1 }).height;
  const { items } = await page.getTextContent();
  const boxes = items.flatMap((item) => {
    if (!('str' in item) || item.str.trim() === '') return [];
    const [, , , size = 0, x = 0, y = 0] = item.transform as number[];
    const mm = (points: number) => points / pointsPerMm;
    return [
      { text: item.str, left: mm(x), right: mm(x + item.width), top: mm(height - y - size), bottom: mm(height - y) },
    ];
  });
  const tree: unknown = await page.getStructTree();
  await loading.destroy();
  return { boxes, tags: JSON.stringify(tree) };
}

function press(t: TestContext, perChild?: number) {
  const made = createLetterPress(perChild === undefined ? {} : { perChild });
  t.after(() => made.close());
  return made;
}

for (const window of Object.keys(addressWindows) as AddressWindowName[]) {
  test(`${window}: letters in four scripts are PDF/UA-1, the address and nothing else inside the window`, async (t) => {
    const setting = press(t);
    for (const [script, texts] of Object.entries(letters)) {
      const data = letterData(letter(texts), window);
      assert.ok(data !== undefined);
      const pdf = await setting.set(data, at);
      assert.ok(pdf !== undefined, script);
      // The exporter writes the part into the metadata only after its own checks.
      assert.match(Buffer.from(pdf).toString('latin1'), /<pdfuaid:part>1<\/pdfuaid:part>/, script);
      const { boxes, tags } = await textsOf(pdf);
      for (const tag of ['H1', 'H2', 'P', 'LI'])
        assert.ok(tags.includes(`"${tag}"`), `${script}: ${tag} in ${tags.slice(0, 400)}`);
      const { x, y, width, height } = addressWindows[window];
      const touching = boxes.filter(
        (box) => box.bottom > y && box.top < y + height && box.right > x && box.left < x + width,
      );
      const lines = touching.filter(
        (box) => box.top >= y - 0.5 && box.bottom <= y + height && box.left >= x - 0.5 && box.right <= x + width,
      );
      assert.deepEqual(touching, lines, `${script}: something lies across the edge`);
      const seen = lines.map(({ text }) => text).join(' ');
      for (const part of ['Long Road 17', '0150 Oslo', 'NORWAY'])
        assert.ok(seen.includes(part), `${script}: ${part} in ${seen}`);
      assert.ok(boxes.length > lines.length + 4, `${script}: the letter has a text`);
    }
  });
}

test('an address that is too long for the window is refused, not printed across it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'spool-'));
  const channel = createLetterSpool({ folder, window: 'din5008b', press: press(t) });
  const long = letter(letters.latin, { address: ['Ada', 'x '.repeat(900), 'Oslo'].join('\n') });
  assert.deepEqual(await channel.prepare(long), { outcome: 'permanent', reason: 'message-refused' });
  const many = letter(letters.latin, { address: 'a\nb\nc\nd\ne\nf\ng' });
  assert.deepEqual(await channel.prepare(many), { outcome: 'permanent', reason: 'address-invalid' });
});

test('the printer finds a letter only with its manifest, and the spool tells what became of an attempt', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'spool-'));
  const channel = createLetterSpool({ folder, window: 'din5008b', press: press(t) });
  const message = letter(letters.greek);
  const name = `${message.delivery}.1`;
  assert.equal(await channel.ask?.(message), undefined);
  const ready = await channel.prepare(message);
  assert.ok('call' in ready);
  assert.deepEqual(await channel.ask?.(message), { outcome: 'temporary', reason: 'provider-unreachable' });
  assert.equal(existsSync(join(folder, `${name}.json`)), false);
  assert.deepEqual(await ready.call(), { outcome: 'sent', providerRef: name });
  assert.deepEqual(await channel.ask?.(message), { outcome: 'sent', providerRef: name });
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
  assert.deepEqual(readdirSync(join(folder, 'making')), []);
});

const count = Number(process.env['LETTERS'] ?? 300);

test(`${count} letters are set in flat memory, the child replaced on the way`, async (t) => {
  const setting = press(t, Math.ceil(count / 4));
  const scripts = Object.values(letters);
  const pids = new Set<string>();
  let [childPeak, parentStart] = [0, 0];
  for (let number = 0; number < count; number += 1) {
    const data = letterData(letter(scripts[number % scripts.length] ?? letters.latin), 'din5008b');
    assert.ok((await setting.set(data ?? '', at)) !== undefined);
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
