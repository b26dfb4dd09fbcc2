import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Page } from 'playwright-core';

/** The texts of the main part that belong on paper: not forms, links that are buttons, and the folded own actions of a citizen. */
const textsForPaper = `(() => {
  const isForScreen = (one) =>
    one.closest('form, .actions, .action, .screen-only, .own-actions > details > summary, .session-warning, iframe') !== null ||
    one.closest('.own-actions')?.querySelector(':scope > details[open]') === null;
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (!isForScreen(walker.currentNode.parentElement)) texts.push(walker.currentNode.data);
  return texts;
})()`;

/** A PDF stores texts from right to left in another order, and the fonts for Chinese characters may be missing on this machine. */
const otherScript = /\p{Script=Arabic}|\p{Script=Han}/u;

/** The characters that are read, without the line breaks of the page. */
const charactersOf = (text: string) => text.normalize('NFKC').replaceAll(/[\s\p{Cf}\u00ad]/gu, '');

/** Prints the page to a PDF, and returns the text of the PDF, and the texts of the main part of the page that are not in it. */
export async function printPage(page: Page): Promise<{ readonly text: string; readonly missing: readonly string[] }> {
  const texts = await page.evaluate<string[]>(textsForPaper);
  const loading = getDocument({ data: new Uint8Array(await page.pdf()), useSystemFonts: false, verbosity: 0 });
  const pdf = await loading.promise;
  let text = '';
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    text += items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
  }
  await loading.destroy();
  const characters = charactersOf(text);
  const missing = texts.filter((one) => !otherScript.test(one) && !characters.includes(charactersOf(one)));
  return { text, missing };
}
