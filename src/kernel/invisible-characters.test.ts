import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removeInvisible } from './invisible-characters.ts';

test('soft hyphens, zero-width and bidirectional characters and variation selectors are removed', () => {
  const codes = [
    0xad, 0x61c, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x202a, 0x202e, 0x2060, 0x2066, 0x2069, 0xfe00, 0xfe0f, 0xfeff,
  ];
  for (const code of codes) {
    const sign = String.fromCharCode(code);
    assert.equal(removeInvisible(`${sign}Ma${sign}ry${sign} Smith${sign}`), 'Mary Smith', code.toString(16));
  }
});

test('joiners between letters of Persian and Indic scripts and variants of Han characters stay, others are removed', () => {
  const persian = '\u0639\u0644\u06cc\u200c\u0631\u0636\u0627';
  const chillu = '\u0d05\u0d28\u0d3f\u0d32\u0d4d\u200d';
  const han = '\u845b\ufe00\u57ce';
  for (const name of [persian, chillu, han, 'Mary', 'Zo\u00eb']) assert.equal(removeInvisible(name), name);
  assert.equal(removeInvisible(`\u200c${persian}\u200c \u200d`), `${persian} `);
});
