import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler';
import { addressTooLongMessage, letterTemplate } from './letter-template.ts';

/** What the press orders: the data of one letter, and the instant that stands in the file, in seconds. */
export type RenderRequest = { readonly data: string; readonly at: number };

/** Why a letter cannot be set; no text of it is in that. */
export type LetterFault = 'address-too-long' | 'no-glyph' | 'not-set';

/** What comes back: the PDF, or why there is none; `broken` says why no letter can be set on this machine. */
export type RenderResult = { readonly pdf?: Uint8Array; readonly fault?: LetterFault; readonly broken?: string };

/** By these words the exporter refuses a text for which no font has a glyph (test/contract/letter-fonts.test.ts). */
const noGlyphMessage = 'could not be displayed with font';

// The child of `typesetter.ts`: it sets letters until it is replaced. Its argument is the folder of the operator's fonts.
const [, , fontFolder] = process.argv;
const compilerOrFault = openCompiler(fontFolder).catch((fault: unknown) => faultMessagesOf(fault).join('; '));
let renderedCount = 0;

process.on('message', async (order: RenderRequest) => {
  const compiler = await compilerOrFault;
  process.send?.(typeof compiler === 'string' ? { broken: compiler } : renderResultOf(compiler, order));
});

/** Its program is of this machine's kind, and needs its libraries: it may not be there. */
async function openCompiler(folder: string | undefined): Promise<NodeCompiler> {
  const { NodeCompiler } = await import('@myriaddreamin/typst-ts-node-compiler');
  const require = createRequire(import.meta.url);
  const fonts = ['noto-sans/', 'noto-sans-arabic/', 'noto-sans-devanagari/'].flatMap((folder) => {
    const name = { 'noto-sans/': 'NotoSans', 'noto-sans-arabic/': 'NotoSansArabic' }[folder] ?? 'NotoSansDevanagari';
    return ['400Regular', '700Bold'].map((weight) =>
      readFileSync(require.resolve(`@expo-google-fonts/${folder}${weight}/${name}_${weight}.ttf`)),
    );
  });
  const more = folder === undefined ? [] : [{ fontPaths: [folder] }];
  return NodeCompiler.create({ fontArgs: [{ fontBlobs: fonts }, ...more] });
}

/** What a fault and its causes say, the first line of each. */
function faultMessagesOf(fault: unknown): string[] {
  if (Array.isArray(fault)) return fault.flatMap(faultMessagesOf);
  if (!(fault instanceof Error)) return [];
  return [fault.message.split('\n', 1)[0] ?? '', ...faultMessagesOf(fault.cause)];
}

function renderResultOf(compiler: NodeCompiler, { data, at }: RenderRequest): RenderResult {
  try {
    const by = { mainFileContent: letterTemplate, inputs: { data } };
    // The exporter refuses what is not PDF/UA-1, so a letter that a screen reader cannot read does not leave.
    const pdf = compiler.pdf(by, { pdfStandard: 'ua-1', creationTimestamp: at });
    renderedCount += 1;
    if (renderedCount % 25 === 0) compiler.evictCache(5);
    return { pdf };
  } catch (fault) {
    // The compiler hands the words of a panic over as the code of its error.
    const said = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
    return { fault: letterFaultOf(said) };
  }
}

function letterFaultOf(said: string): LetterFault {
  if (said.includes(addressTooLongMessage)) return 'address-too-long';
  return said.includes(noGlyphMessage) ? 'no-glyph' : 'not-set';
}
