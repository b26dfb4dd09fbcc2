import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import type { OutgoingMessage } from '../../src/notifications/notification/channel.ts';
import type { CleanupScope } from './server-process.ts';
import { makeTestFolder } from './test-folder.ts';

/** The time of the letters in tests. */
export const letterTimeMs = Date.UTC(2026, 0, 15, 9);

const pointsPerMm = 72 / 25.4;

const newId = createIdGenerator({ now: () => letterTimeMs }, systemRandom);

/** A printable message with a delivery of its own. */
export function makeLetter(text: string, overrides: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    notification: newId('notification'),
    delivery: newId('delivery'),
    attempt: 1,
    address: ['Ada Berg', 'Long Road 17', '0150 Oslo', 'NORWAY'].join('\n'),
    sender: 'Tax Office',
    subject: 'Your assessment',
    content: { message: text },
    reminder: false,
    category: 'decision' as const,
    language: undefined,
    at: letterTimeMs,
    ...overrides,
  };
}

/** A replacement for node that loads no native module, like a machine that lacks a library of the typesetter. */
export function nodeWithoutTypesetter(t: CleanupScope): string {
  const folder = makeTestFolder('cs-typesetter-');
  t.after(() => rmSync(folder, { recursive: true }));
  const [node, preload] = [join(folder, 'node'), join(folder, 'without.cjs')];
  writeFileSync(preload, `process.dlopen = () => { throw new Error('librt.so.1: no such file'); };`);
  writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' --require '${preload}' "$@"\n`, { mode: 0o755 });
  return node;
}

/** The boxes of all texts on the first page, in mm from the upper left corner, and the structure tree as JSON. */
export async function readPdfTexts(pdf: Uint8Array) {
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

type TextBox = Awaited<ReturnType<typeof readPdfTexts>>['boxes'][number];

/** The lines of these texts from the top to the bottom. Boxes that touch are one word, without marks for direction and line breaks. */
export function printedLines(boxes: readonly TextBox[]): string[] {
  const lines = Map.groupBy(boxes, ({ bottom }) => Math.round(bottom));
  return [...lines.keys()]
    .sort((one, other) => one - other)
    .map((bottom) => {
      const line = (lines.get(bottom) ?? []).toSorted((one, other) => one.left - other.left);
      const words = line.map(({ text, left }, index) => {
        const gap = left - (line[index - 1]?.right ?? left);
        return gap > 0.5 ? ` ${text}` : text;
      });
      return words
        .join('')
        .replaceAll(/[\u200b\u2066-\u2069]/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim();
    });
}
