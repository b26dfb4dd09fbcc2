/** A value that a template accepts between its literal parts. Lists are joined; `undefined` leaves nothing. */
export type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

/**
 * HTML that needs no further escaping: made by `html` or `trustedHtml` only. It is a class with a private member, so that no value
 * from a request or the database can pass as one.
 */
export class Html {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeValue(value: HtmlValue): string {
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return value.map(escapeValue).join('');
  return String(value ?? '').replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/**
 * Template tag that escapes each inserted value for element content and for quoted attribute values. It does not make a value
 * safe in an attribute without quotes, in `<script>` or `<style>`, or as a URL with a scheme of the user's choice.
 */
export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(literals.reduce((text, literal, index) => text + escapeValue(values[index - 1]) + literal));
}

/** Marks text as HTML without escaping it. Only for constants and for markup that this server generated. */
export function trustedHtml(text: string): Html {
  return new Html(text);
}
