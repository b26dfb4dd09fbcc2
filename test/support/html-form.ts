/**
 * What a browser sends of a form of a page that nobody has changed: its texts, what is chosen and what is ticked. It is the last one
 * in which that text stands.
 */
export function readHtmlForm(page: string, text = ''): URLSearchParams {
  const form = new URLSearchParams();
  const own = page.split('<form ').findLast((part) => part.includes(text)) ?? '';
  for (const [tag] of own.matchAll(/<input[^>]*>|<select[\s\S]*?<\/select>/g)) {
    const name = htmlAttribute(tag, 'name');
    if (tag.startsWith('<input')) {
      const isOff = /type="checkbox"/.test(tag) && !/ checked/.test(tag);
      if (!isOff) form.append(name, htmlAttribute(tag, 'value'));
      continue;
    }
    const options = [...tag.matchAll(/<option[^>]*>/g)].map(([option]) => option);
    const chosen = options.filter((option) => / selected/.test(option));
    if (chosen.length > 1) throw new Error(`two options of ${name} are chosen`);
    form.append(name, htmlAttribute(chosen[0] ?? options[0] ?? '', 'value'));
  }
  return form;
}

function htmlAttribute(tag: string, name: string): string {
  const text = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  const letters = { '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>', '&amp;': '&' };
  return Object.entries(letters).reduce((all, [escaped, letter]) => all.replaceAll(escaped, letter), text);
}
