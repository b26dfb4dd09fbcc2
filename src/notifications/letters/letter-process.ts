import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler';
import { addressTooLongMessage, letterTemplate } from './letter-template.ts';

/** The data of one letter, as JSON, and the creation time for the file in epoch seconds. */
export type RenderRequest = { readonly data: string; readonly at: number };

/** Why a letter cannot be rendered; it has no text of the letter. */
export type LetterFault = 'address-too-long' | 'no-glyph' | 'not-set';

/** The PDF, or why there is none. `broken`: why no letter can be rendered on this machine. */
export type RenderResult = { readonly pdf?: Uint8Array; readonly fault?: LetterFault; readonly broken?: string };

/** The exporter's message if no font has a glyph for a text (test/contract/letter-fonts.test.ts). */
const noGlyphMessage = 'could not be displayed with font';

/** The bundled fonts, as files of the packages `@expo-google-fonts/*`. */
const fontFiles = [
  'noto-sans/400Regular/NotoSans_400Regular.ttf',
  'noto-sans/700Bold/NotoSans_700Bold.ttf',
  'noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf',
  'noto-sans-arabic/700Bold/NotoSansArabic_700Bold.ttf',
  'noto-sans-devanagari/400Regular/NotoSansDevanagari_400Regular.ttf',
  'noto-sans-devanagari/700Bold/NotoSansDevanagari_700Bold.ttf',
];

// The child process of `typesetter.ts`. Its arguments are the folders of the operator's fonts and logos, or empty.
const [, , fontFolder = '', logoFolder = ''] = process.argv;
const compilerOrFault = openCompiler(fontFolder, logoFolder).catch((fault: unknown) =>
  faultMessagesOf(fault).join('; '),
);
let renderedCount = 0;

process.on('message', async (request: RenderRequest) => {
  const compiler = await compilerOrFault;
  process.send?.(typeof compiler === 'string' ? { broken: compiler } : renderResultOf(compiler, request));
});

/** Loads the compiler. It is native code and needs system libraries, so the import fails on some machines. */
async function openCompiler(fonts: string, logos: string): Promise<NodeCompiler> {
  const { NodeCompiler } = await import('@myriaddreamin/typst-ts-node-compiler');
  const require = createRequire(import.meta.url);
  const fontBlobs = fontFiles.map((file) => readFileSync(require.resolve(`@expo-google-fonts/${file}`)));
  const operatorFonts = fonts === '' ? [] : [{ fontPaths: [fonts] }];
  // The template reads logos from its workspace.
  return NodeCompiler.create({
    fontArgs: [{ fontBlobs }, ...operatorFonts],
    ...(logos === '' ? {} : { workspace: logos }),
  });
}

/** The first line of the message of a fault and of each of its causes. */
function faultMessagesOf(fault: unknown): string[] {
  if (Array.isArray(fault)) return fault.flatMap(faultMessagesOf);
  if (!(fault instanceof Error)) return [];
  return [fault.message.split('\n', 1)[0] ?? '', ...faultMessagesOf(fault.cause)];
}

function renderResultOf(compiler: NodeCompiler, { data, at }: RenderRequest): RenderResult {
  try {
    const source = { mainFileContent: letterTemplate, inputs: { data } };
    // The exporter rejects every document that is not PDF/UA-1, so each letter is readable by a screen reader.
    const pdf = compiler.pdf(source, { pdfStandard: 'ua-1', creationTimestamp: at });
    renderedCount += 1;
    if (renderedCount % 25 === 0) compiler.evictCache(5);
    return { pdf };
  } catch (fault) {
    // The compiler puts the message of a panic into the code of its error.
    const message = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
    return { fault: letterFaultOf(message) };
  }
}

function letterFaultOf(message: string): LetterFault {
  if (message.includes(addressTooLongMessage)) return 'address-too-long';
  return message.includes(noGlyphMessage) ? 'no-glyph' : 'not-set';
}
