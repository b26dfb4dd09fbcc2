import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createLetterRenderer } from '../../src/notifications/letters/letter-renderer.ts';
import { addressWindows } from '../../src/notifications/letters/letter-template.ts';
import { type LetterDeps, renderLetterPdf } from '../../src/notifications/letters/render-letter.ts';
import type { OutgoingMessage } from '../../src/notifications/notification/channel.ts';
import { letterTimeMs, makeLetter, printedLines, readPdfTexts } from '../support/letters.ts';

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
  return { boxes, text: boxes.map(({ text }) => text.replaceAll(/[\s\u200b\u2066\u2068\u2069]/g, '')).join('') };
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
    const whole = printedLines(boxes).filter((line) => line.includes('https://tax.example/a/'));
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

test('a letter says in its language when its message counts as delivered, and names no day that is not certain', async (t) => {
  const parts = partsFor(t);
  const base = { rule: 'opened', confirmationCounts: false, awaitsLetter: false };
  const printedWith = async (language: string, legalNotice: OutgoingMessage['legalNotice']) =>
    (await printedOf(parts, makeLetter('x', { language, legalNotice }))).text;
  assert.match(
    await printedWith('de', { ...base, dueOn: '2026-12-04' }),
    /xDieseNachricht.*inIhremPostfachöffnen\.Abdem4\.Dezember2026giltsiealszugestellt.*Fristen/,
  );
  assert.match(
    await printedWith('en', { ...base, awaitsLetter: true }),
    /Ifyoudonotopenitthere,itcountsasdeliveredthreeworkingdaysafterthisletterissent\.Deadlines/,
  );
  assert.doesNotMatch(await printedWith('en', undefined), /counts/);
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

test('a reference, a date and a part of a URL stay on one line, and a URL breaks only after its delimiters', async (t) => {
  const parts = partsFor(t);
  const reference = 'TA-2025-118';
  const legalNotice = { rule: 'opened', confirmationCounts: false, awaitsLetter: false, dueOn: '2026-12-04' };
  for (const [language, day] of Object.entries({ de: '4. Dezember 2026', pt: '4 de dezembro de 2026' })) {
    const lines = printedLines((await printedOf(parts, makeLetter('x', { language, legalNotice }))).boxes);
    assert.ok(
      lines.some((line) => line.includes(day)),
      lines.join('|'),
    );
  }
  const url =
    'https://www.tax.example/council-tax/discounts-and-exemptions-for-single-people/apply?account=TA-2025-118&day=2026-05-01';
  for (let count = 30; count < 60; count += 1) {
    const text = `${'n'.repeat(count)} ${reference} and ${'n'.repeat(count)} 2026-05-01 and ${url} end`;
    const { boxes } = await printedOf(parts, makeLetter(`${text}\n\n- ${text}`, { subject: text }));
    const lines = printedLines(boxes);
    for (const word of [reference, '2026-05-01', 'discounts-and-exemptions-for-single-people/', 'www.tax.example/'])
      assert.equal(
        lines.filter((line) => line.includes(word)).length >= 3,
        true,
        `${count} ${word}: ${lines.join('|')}`,
      );
  }
});

test('a letter has the reference of its sender above the title and the id of the message in its foot', async (t) => {
  const letter = makeLetter('x', { language: 'en', reference: 'TA-2025-118', subject: 'Your tax' });
  const lines = printedLines((await printedOf(partsFor(t), letter)).boxes);
  const at = lines.indexOf('Reference: TA-2025-118');
  assert.deepEqual([lines[at - 1], lines[at + 1]], ['15 January 2026', 'Your tax']);
  assert.ok(lines.at(-1)?.includes(letter.notification));
  const without = printedLines((await printedOf(partsFor(t), makeLetter('x', { language: 'en' }))).boxes);
  assert.ok(without.every((line) => !line.includes('Reference')));
});

const settings = {
  contactPhone: '+44 117 496 0000',
  contactEmail: 'tax@example.org',
  contactUrl: 'https://tax.example/contact',
};

test('the head of a letter has the phone number, the email address and the web address of its sender', async (t) => {
  const { boxes } = await printedOf(partsFor(t), makeLetter('x', { language: 'de', senderSettings: settings }));
  const head = printedLines(boxes.filter(({ left, top }) => left > 100 && top < 90));
  assert.deepEqual(head, [
    'Tax Office',
    'Telefon: +44 117 496 0000',
    'E-Mail: tax@example.org',
    'Website: https://tax.example/contact',
  ]);
});

test('a fixed phrase in another language than a right-to-left letter is printed from left to right', async (t) => {
  const content = { message: 'ندعوكم', attachments: [{ id: newId('document'), title: 'x' }] };
  const letter = makeLetter('', { content, language: 'xx', reference: 'TA-1', senderSettings: settings });
  const lines = printedLines((await printedOf(partsFor(t), letter)).boxes);
  for (const line of [
    'Documents with this message, in your inbox:',
    'Reference: TA-1',
    'Phone: +44 117 496 0000',
    'Website: https://tax.example/contact',
  ])
    assert.ok(lines.includes(line), `${line} in ${lines.join('|')}`);
});

test('the return address of a sender with an Arabic name is printed from right to left', async (t) => {
  const { y, x, width } = addressWindows.din5008b;
  const letter = makeLetter('x', { sender: 'مصلحة الضرائب', returnAddress: ['شارع النيل 17', 'عمّان 11181'] });
  const { boxes } = await printedOf(partsFor(t), letter);
  const back = boxes.filter(({ left, bottom }) => left < x + width && bottom <= y);
  const leftOf = (word: string) => back.find(({ text }) => text.includes(word))?.left ?? assert.fail(word);
  assert.ok(leftOf('17') > leftOf('11181'), JSON.stringify(back));
});

test('a long word that fits into a line of a letter in large print is not broken', async (t) => {
  const title = 'Grundsteuermessbescheid und Einspruchsentscheidung';
  const letter = makeLetter('x', { largePrint: true, sender: 'Finanzamt Bonn-Innenstadt', subject: title });
  const lines = printedLines((await printedOf(partsFor(t), letter)).boxes);
  for (const line of ['Bonn-Innenstadt', 'Grundsteuermessbescheid und', 'Einspruchsentscheidung'])
    assert.ok(lines.includes(line), `${line} in ${lines.join('|')}`);
});

test('the foot of a letter in large print has at most two lines', async (t) => {
  const sender = 'Autoridade Tributária e Aduaneira';
  const { boxes } = await printedOf(partsFor(t), makeLetter('x', { largePrint: true, language: 'pt', sender }));
  const foot = printedLines(boxes.filter(({ top }) => top > 250));
  assert.deepEqual([foot.length, foot[0]], [2, '1 / 1 · Número da mensagem:']);
});

test('a letter in large print has 18 points in all that the citizen reads', async (t) => {
  const parts = { ...partsFor(t), returnAddress: ['P.O. Box 100', '0101 Oslo'] };
  const content = {
    message: '# How\n\nPay **now**.\n\n- one',
    attachments: [{ id: newId('document'), title: 'Bill' }],
  };
  const letter = makeLetter('', { content, largePrint: true, reference: 'TA-1', senderSettings: settings });
  const { boxes } = await printedOf(parts, letter);
  const { x, y, width } = addressWindows.din5008b;
  const isEnvelope = (box: (typeof boxes)[number]) => box.top > y - 20 && box.bottom < 95 && box.left < x + width;
  const isReturnAddress = ({ text }: (typeof boxes)[number]) => parts.returnAddress.includes(text.trim());
  const small = boxes.filter((box) => !isEnvelope(box) && !isReturnAddress(box) && box.bottom - box.top < 6.3);
  assert.deepEqual(small, []);
  for (const text of ['TA-1', '+44 117 496 0000', 'Bill'])
    assert.ok(
      boxes.some((box) => box.text.includes(text)),
      text,
    );
  for (const box of boxes) assert.ok(box.right <= rightEdge, JSON.stringify(box));
  const words = makeLetter(`${'W'.repeat(150)} ${'W'.repeat(20)}`, { largePrint: true, sender: 'W'.repeat(60) });
  for (const box of (await printedOf(parts, words)).boxes) assert.ok(box.right <= rightEdge, JSON.stringify(box));
});

test('the foot of a letter labels the id in the language of the fixed phrases', async (t) => {
  const letter = makeLetter('x', { language: 'de' });
  const { boxes } = await printedOf(partsFor(t), letter);
  const foot = boxes.filter(({ top }) => top > 270).map(({ text }) => text.trim());
  assert.equal(foot.join(' '), `Tax Office · Nachrichtennummer: ${letter.notification} · 1 / 1`);
});

test('the date of a letter is written in its language if the server knows it', async (t) => {
  const parts = partsFor(t);
  const days = { en: '15January2026', 'de-AT': '15.Januar2026', he: '2026-01-15', 'x!': '2026-01-15' };
  for (const [language, day] of [...Object.entries(days), [undefined, '2026-01-15'] as const]) {
    assert.ok((await printedOf(parts, makeLetter('x', { language }))).text.includes(day), day);
  }
});
