import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatNote, isKeyName, maxNoteBytes, openNote, parseNote, signNote } from './note.ts';
import { createNoteSigner, parseVkey, signatureTypes } from './note-key.ts';

const seed = (byte: number) => new Uint8Array(32).fill(byte);
const signer = createNoteSigner(signatureTypes.ed25519, 'log.example', seed(1));
const other = createNoteSigner(signatureTypes.ed25519, 'other.example', seed(2));
const keyOf = ({ vkey }: { readonly vkey: string }) => parseVkey(vkey) ?? assert.fail();
const text = 'first\n\nlast\n';
const good = signNote(text, [signer], 0);
const line = good.slice(text.length + 1);

test('a note parses to its signed parts, and a malformed note is rejected', () => {
  assert.equal(parseNote(good)?.text, text);
  const bad: Record<string, string> = {
    nothing: '',
    'signatures alone': line,
    'a signature after another character': `x${line}`,
    'a text alone': text,
    'an empty block of signatures': 'text\n\n',
    'no end of the last line': good.slice(0, -1),
    'a control character': good.replace('first', 'fir\tst'),
    'a carriage return': good.replaceAll('\n', '\r\n'),
    'half a surrogate': good.replace('first', '\ud800'),
    'another dash': good.replace('—', '-'),
    'a name with a plus': good.replace('log.example', 'log+example'),
    'no name': good.replace('log.example', ''),
    'a blank too many': good.replace('log.example', 'log.example '),
    'a field too many': good.replace(/\n$/, ' AAAA\n'),
    'no base64': good.replace(/\S+\n$/, '!!!!!!!!\n'),
    'a key without a signature': good.replace(/\S+\n$/, 'AAAAAA==\n'),
    'an empty line of signatures': `${good}\n`,
    'too many signatures': `${text}\n${line.repeat(101)}`,
    'more than a note may have': `${'x'.repeat(maxNoteBytes)}${good}`,
  };
  for (const [what, note] of Object.entries(bad)) assert.equal(parseNote(note), undefined, what);
  assert.equal(parseNote(`${text}\n${line.repeat(100)}`)?.signatures.length, 100);
});

test('signatures of one name and key id count once, and an invalid signature of a known key rejects the note', () => {
  const note = parseNote(signNote(text, [signer, other], 0)) ?? assert.fail();
  const [own = assert.fail(), second = assert.fail()] = note.signatures;
  const namesOf = (signatures: readonly (typeof own)[], keys = [signer]) =>
    openNote(formatNote({ text, signatures }), keys.map(keyOf))?.verified.map(({ name }) => name);
  assert.deepEqual(namesOf([own, second]), ['log.example']);
  assert.deepEqual(namesOf([own, own, second], [signer, other]), ['log.example', 'other.example']);
  const renewed = createNoteSigner(signatureTypes.ed25519, signer.name, seed(3));
  const both = parseNote(signNote(text, [signer, renewed], 0)) ?? assert.fail();
  assert.equal(openNote(both, [signer, renewed].map(keyOf))?.verified.length, 2);
  assert.equal(namesOf([second]), undefined);
  assert.equal(namesOf([{ ...own, name: 'other.example' }], [signer, other]), undefined);
  assert.equal(namesOf([{ ...own, keyId: second.keyId }], [signer, other]), undefined);
  assert.equal(namesOf([own, { ...own, signature: second.signature }]), undefined);
  assert.deepEqual(namesOf([own, { ...second, signature: own.signature }]), ['log.example']);
});

test('only a text of complete lines can be signed, and only a name that fits into a line can name a key', () => {
  for (const wrong of ['', 'no end', 'a\r\n', 'a\tb\n']) assert.throws(() => signNote(wrong, [signer], 0), TypeError);
  for (const name of ['log.example', 'log.example/ledger', 'é']) assert.ok(isKeyName(name), name);
  for (const name of ['', 'a b', 'a+b', 'a\u00a0b', 'a\n', '+', '\u0007']) assert.ok(!isKeyName(name), name);
});
