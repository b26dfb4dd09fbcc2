import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createLetterRenderer } from '../../src/notifications/letters/letter-renderer.ts';
import { addressWindows } from '../../src/notifications/letters/letter-template.ts';
import { type LetterDeps, renderLetterPdf } from '../../src/notifications/letters/render-letter.ts';
import { letterTimeMs, makeLetter, readPdfTexts } from '../support/letters.ts';

const newId = createIdGenerator({ now: () => letterTimeMs }, systemRandom);

/** The right edge of the text on A4, in mm; a no-break space may exceed it. */
const rightEdge = 210 - 25 + 1;

function partsFor(t: TestContext): LetterDeps {
  const renderer = createLetterRenderer();
  t.after(() => renderer.close());
  return { renderer, window: 'din5008b' };
}

async function printedOf(parts: LetterDeps, letter: ReturnType<typeof makeLetter>) {
  const pdf = await renderLetterPdf(parts, letter);
  assert.ok(pdf instanceof Uint8Array);
  const { boxes } = await readPdfTexts(pdf);
  // Marks for line breaks and for the direction of a URL are no part of the text.
  return { boxes, text: boxes.map(({ text }) => text.replaceAll(/[\s\u200b\u2066\u2069]/g, '')).join('') };
}

test('a long word wraps in every part of a letter, and no text exceeds the margin', async (t) => {
  const parts = partsFor(t);
  const words = {
    hyphens: Array.from({ length: 40 }, (_, index) => `W${index}`).join('\u2011'),
    glued: Array.from({ length: 40 }, (_, index) => `word${index}`).join('\u00a0'),
    url: `https://tax.example/${'abcdefghij'.repeat(20)}`,
    widest: 'W'.repeat(150),
    justFits: 'W'.repeat(35),
  };
  for (const [name, word] of Object.entries(words)) {
    const attachments = [{ id: newId('document'), title: word }];
    const letters = [
      ...[word, `**${word}**`, `- ${word}\n- x`, `# ${word}`, `[${word}](https://tax.example/)`].map((text) =>
        makeLetter(text),
      ),
      makeLetter('x', { subject: word }),
      makeLetter('x', { sender: word }),
      makeLetter('x', { content: { message: 'x', attachments } }),
    ];
    for (const [index, letter] of letters.entries()) {
      const { boxes, text } = await printedOf(parts, letter);
      for (const box of boxes)
        assert.ok(box.right <= rightEdge, `${name} ${index}: ends at ${box.right} mm: ${JSON.stringify(box)}`);
      assert.ok(text.includes(word.replaceAll(/\s/g, '')), `${name} ${index}: ${text}`);
    }
  }
});

test('a link in a letter is printed with its address', async (t) => {
  const parts = partsFor(t);
  const printed = async (text: string) => (await printedOf(parts, makeLetter(text))).text;
  assert.match(
    await printed('See [the page](https://tax.example/pay?a=b) now'),
    /Seethepage\(https:\/\/tax\.example\/pay\?a=b\)now/,
  );
  const long = `https://tax.example/${'W'.repeat(150)}`;
  assert.ok((await printed(`[x](${long})`)).includes(`x(${long})`));
  assert.match(await printed('See https://tax.example/pay now'), /Seehttps:\/\/tax\.example\/paynow/);
});

test('a URL in a right-to-left letter is printed from left to right with its last slash at the end', async (t) => {
  const parts = partsFor(t);
  for (const message of ['ندعوكم https://tax.example/a/ الآن.', 'ندعوكم إلى [الصفحة](https://tax.example/a/) الآن.']) {
    const { boxes } = await printedOf(parts, makeLetter(message, { language: 'ar' }));
    // A run from left to right without a gap is one text.
    const whole = boxes.filter(({ text }) => text.includes('https://tax.example/a/'));
    assert.equal(whole.length, 1, message);
  }
});

test('an address of six lines fits into each window in every bundled script', async (t) => {
  const { renderer } = partsFor(t);
  const lines = [
    'شارع النيل 17',
    'नई दिल्ली',
    'Οδός Ερμού 1',
    'вулиця 5',
    'Ålesund ẤỘ',
    'רחוב 5',
    'თბილისი 4',
    'Երևան 12',
  ];
  for (const line of lines) {
    for (const window of ['din5008b', 'uk-c5'] as const) {
      for (const count of [4, 5, 6]) {
        const address = Array.from({ length: count }, () => line).join('\n');
        const pdf = await renderLetterPdf({ renderer, window }, makeLetter('x', { address }));
        assert.ok(pdf instanceof Uint8Array, `${line}, ${count} lines, ${window}: ${JSON.stringify(pdf)}`);
      }
    }
  }
});

test('a letter lists its documents and states that they are in the inbox', async (t) => {
  const content = { message: 'x', attachments: [{ id: newId('document'), title: 'Assessment' }] };
  const { text } = await printedOf(partsFor(t), makeLetter('x', { content, language: 'fr' }));
  assert.match(text, /Documentsjointsàcemessage,dansvotremessagerie:•?Assessment/);
});

/** A name of 200 characters, and the longest address that the setting accepts. */
const longest = {
  sender: 'Ministry of Transport and Digital Infrastructure, '.repeat(4),
  returnAddress: new Array<string>(6).fill('W'.repeat(19)),
};

test('the sender of a letter is at the upper right, and also above the address in a window with enough space', async (t) => {
  const { renderer } = partsFor(t);
  const heads = [
    { sender: 'Tax Office', returnAddress: ['P.O. Box 100', '0101 Oslo'] },
    { sender: 'مصلحة الضرائب', returnAddress: ['12 Street', '0101 Oslo'] },
    longest,
  ];
  for (const window of ['din5008b', 'uk-c5'] as const) {
    const { x, y, width, above } = addressWindows[window];
    for (const { sender, returnAddress } of heads) {
      const { boxes } = await printedOf({ renderer, window, returnAddress }, makeLetter('x', { sender }));
      const written = (some: typeof boxes) => some.map(({ text }) => text.replaceAll(/[\s\u200b]/g, '')).join('');
      const lines = returnAddress.join('').replaceAll(' ', '');
      const head = boxes.filter(({ left, bottom }) => left > x + width && bottom < 100);
      assert.ok(written(head).endsWith(lines), `${window} ${sender}: ${written(head)}`);
      for (const box of head) assert.ok(box.top > 15 && box.right <= rightEdge, JSON.stringify(box));
      const back = boxes.filter(({ left, bottom }) => left < x + width && bottom <= y);
      assert.equal(
        written(back).replaceAll('·', '').endsWith(lines),
        above > 0,
        `${window} ${sender}: ${written(back)}`,
      );
      for (const box of back) assert.ok(box.top >= y - above && box.right <= x + width + 0.1, JSON.stringify(box));
    }
  }
});

test('the letters of a sender with its own return address have only that return address', async (t) => {
  const { renderer } = partsFor(t);
  const parts = { renderer: renderer, window: 'din5008b', returnAddress: ['P.O. Box 100', '0101 Oslo'] } as const;
  const { boxes } = await printedOf(parts, makeLetter('x', { returnAddress: ['Town Hall', '0102 Oslo'] }));
  const above = boxes.filter(({ bottom }) => bottom < addressWindows.din5008b.y).map(({ text }) => text);
  assert.deepEqual(above, ['Tax Office', 'Town Hall', '0102 Oslo', 'Tax Office · Town Hall · 0102 Oslo']);
});

test('a sender without a return address is printed only at the head of a letter', async (t) => {
  const { boxes } = await printedOf(partsFor(t), makeLetter('x', { sender: 'Tax Office' }));
  const above = boxes.filter(({ bottom }) => bottom < addressWindows.din5008b.y).map(({ text }) => text);
  assert.deepEqual(above, ['Tax Office']);
});

test('the foot of a letter labels the id in the language of the fixed phrases', async (t) => {
  const letter = makeLetter('x', { language: 'de' });
  const { boxes } = await printedOf(partsFor(t), letter);
  const foot = boxes.filter(({ top }) => top > 270).map(({ text }) => text.trim());
  assert.equal(foot.join(' '), `Tax Office · Referenz: ${letter.notification} · 1 / 1`);
});

test('the date of a letter is written in its language if the server knows it', async (t) => {
  const parts = partsFor(t);
  const days = { en: '15January2026', 'de-AT': '15.Januar2026', ar: '2026-01-15', 'x!': '2026-01-15' };
  for (const [language, day] of [...Object.entries(days), [undefined, '2026-01-15'] as const]) {
    assert.ok((await printedOf(parts, makeLetter('x', { language }))).text.includes(day), day);
  }
});
