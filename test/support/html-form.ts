/**
 * The values that a browser submits for an unchanged form: its inputs, selected options and ticked boxes. Reads the last
 * form of the page that contains `text`.
 */
export function readHtmlForm(page: string, text = ''): URLSearchParams {
  const form = new URLSearchParams();
  const html = page.split('<form ').findLast((part) => part.includes(text)) ?? '';
  for (const [tag] of html.matchAll(/<input[^>]*>|<select[\s\S]*?<\/select>/g)) {
    const name = htmlAttribute(tag, 'name');
    if (tag.startsWith('<input')) {
      const isUnchecked = /type="checkbox"/.test(tag) && !/ checked/.test(tag);
      if (!isUnchecked) form.append(name, htmlAttribute(tag, 'value'));
      continue;
    }
    const options = [...tag.matchAll(/<option[^>]*>/g)].map(([option]) => option);
    const selected = options.filter((option) => / selected/.test(option));
    if (selected.length > 1) throw new Error(`expected one selected option of ${name}, received ${selected.length}`);
    form.append(name, htmlAttribute(selected[0] ?? options[0] ?? '', 'value'));
  }
  return form;
}

function htmlAttribute(tag: string, name: string): string {
  const text = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  const letters = { '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>', '&amp;': '&' };
  return Object.entries(letters).reduce((all, [escaped, letter]) => all.replaceAll(escaped, letter), text);
}
