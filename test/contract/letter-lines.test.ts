import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createMint } from '../../src/kernel/id.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { type LetterParts, printLetter } from '../../src/notifications/letters/letter-job.ts';
import { createLetterPress } from '../../src/notifications/letters/letter-press.ts';
import { letterAt, letterOf, textsOf } from '../letters.ts';

const mint = createMint({ now: () => letterAt }, systemRandom);

/** A4 but the margin on the right, in mm; a blank that glues may hang over it. */
const rightEdge = 210 - 25 + 1;

function partsFor(t: TestContext): LetterParts {
  const press = createLetterPress();
  t.after(() => press.close());
  return { press, window: 'din5008b' };
}

async function printedOf(parts: LetterParts, letter: ReturnType<typeof letterOf>) {
  const pdf = await printLetter(parts, letter);
  assert.ok(pdf instanceof Uint8Array);
  const { boxes } = await textsOf(pdf);
  // Where a line was wrapped is no part of the text.
  return { boxes, text: boxes.map(({ text }) => text.replaceAll(/[\s\u200b]/g, '')).join('') };
}

test('no word is too long for a line: nothing runs over the edge of the paper, wherever it stands', async (t) => {
  const parts = partsFor(t);
  const words = {
    hyphens: Array.from({ length: 40 }, (_, index) => `W${index}`).join('\u2011'),
    glued: Array.from({ length: 40 }, (_, index) => `word${index}`).join('\u00a0'),
    url: `https://tax.example/${'abcdefghij'.repeat(20)}`,
    widest: 'W'.repeat(150),
    justFits: 'W'.repeat(35),
  };
  for (const [name, word] of Object.entries(words)) {
    const attachments = [{ id: mint('document'), title: word }];
    const letters = [
      ...[word, `**${word}**`, `- ${word}\n- x`, `# ${word}`, `[${word}](https://tax.example/)`].map((text) =>
        letterOf(text),
      ),
      letterOf('x', { subject: word }),
      letterOf('x', { sender: word }),
      letterOf('x', { content: { message: 'x', attachments } }),
    ];
    for (const [index, letter] of letters.entries()) {
      const { boxes, text } = await printedOf(parts, letter);
      for (const box of boxes) assert.ok(box.right <= rightEdge, `${name} ${index}: ends at ${box.right} mm`);
      assert.ok(text.includes(word.replaceAll(/\s/g, '')), `${name} ${index}: ${text}`);
    }
  }
});

test('a link is printed with its address, since nobody can follow it on paper', async (t) => {
  const parts = partsFor(t);
  const printed = async (text: string) => (await printedOf(parts, letterOf(text))).text;
  assert.match(
    await printed('See [the page](https://tax.example/pay?a=b) now'),
    /Seethepage\(https:\/\/tax\.example\/pay\?a=b\)now/,
  );
  const long = `https://tax.example/${'W'.repeat(150)}`;
  assert.ok((await printed(`[x](${long})`)).includes(`x(${long})`));
  assert.match(await printed('See https://tax.example/pay now'), /Seehttps:\/\/tax\.example\/paynow/);
});

test('an address of six lines fits into each window in every script that letters come with fonts for', async (t) => {
  const { press } = partsFor(t);
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
        const pdf = await printLetter({ press, window }, letterOf('x', { address }));
        assert.ok(pdf instanceof Uint8Array, `${line}, ${count} lines, ${window}: ${JSON.stringify(pdf)}`);
      }
    }
  }
});

test('a letter says of documents where they are, since none lies in the envelope', async (t) => {
  const content = { message: 'x', attachments: [{ id: mint('document'), title: 'Assessment' }] };
  const { text } = await printedOf(partsFor(t), letterOf('x', { content, language: 'fr' }));
  assert.match(text, /Documentsjointsàcemessage,dansvotreboîtederéception:•?Assessment/);
});
