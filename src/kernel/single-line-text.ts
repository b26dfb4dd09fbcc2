/**
 * A text that is shown on one line: a subject, a title, a name, a reference or a reason. It has no control character, no line break of
 * Unicode, no lone surrogate, and no bidirectional embedding, override or isolate (UAX #9). Attack: such a control reverses the text after
 * it, such as the host of a link, an amount, or the name of the sender (test/attacks/bidirectional-controls.test.ts). Letters that are
 * written from right to left need none, and the marks U+200E, U+200F and U+061C are permitted.
 */
export const singleLinePattern = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+$/u;

/** The same for JSON schemas, which have no classes of Unicode. The parser of requests refuses lone surrogates before. */
export const singleLineSchemaPattern =
  '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]+$';

/** The requirement of `singleLinePattern`, for error messages. */
export const singleLineRequirement = 'one line of text without control characters and bidirectional controls';
