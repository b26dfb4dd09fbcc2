import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveMessageKey, headerBytes, keyBytes, SealBroken, saltBytes } from '../crypto/chunked-encryption.ts';
import { createIdGenerator } from '../kernel/id.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { blobContext, blobKey, type DocumentContent, sealRecord, unsealRecord } from './sealed-record.ts';

const createId = createIdGenerator({ now: () => 1_000 }, systemRandom);
const citizenKey = systemRandom(keyBytes);
const binding = { id: createId('document'), pseudonym: systemRandom(16), issuer: 'tax-office', createdAt: 1_000 };
const dataKey = Buffer.from(systemRandom(keyBytes));
const message = deriveMessageKey(dataKey, blobContext(binding.id), systemRandom(saltBytes));
const content: DocumentContent = {
  title: 'Steuerbescheid für Ørsted',
  kind: 'tax-assessment',
  mediaType: 'application/pdf',
  size: 12_345,
  sealedSize: 12_417,
  sha256: Buffer.alloc(32, 1),
  sealedSha256: Buffer.alloc(32, 2),
  issuedAt: -5,
  dataKey,
  header: Buffer.from(message.header),
};

test('a record opens to its content, and its key opens the document', () => {
  const sealed = sealRecord(citizenKey, binding, content, systemRandom);
  const opened = unsealRecord(citizenKey, binding, sealed);
  assert.deepEqual(opened, content);
  assert.deepEqual(blobKey(binding.id, opened).key, message.key);
  assert.equal(sealed.includes('Steuerbescheid'), false);
});

test('a record in a changed row, under another citizen or with a changed byte does not open', () => {
  const sealed = sealRecord(citizenKey, binding, content, systemRandom);
  const changed = [
    { ...binding, id: createId('document') },
    { ...binding, pseudonym: systemRandom(16) },
    { ...binding, issuer: 'tax-office2' },
    { ...binding, createdAt: 1_001 },
  ];
  for (const other of changed) assert.throws(() => unsealRecord(citizenKey, other, sealed), SealBroken);
  assert.throws(() => unsealRecord(systemRandom(keyBytes), binding, sealed), SealBroken);
  for (let at = 0; at < sealed.length; at += 1) {
    const flipped = Buffer.from(sealed);
    flipped.writeUInt8(flipped.readUInt8(at) ^ 0x01, at);
    assert.throws(() => unsealRecord(citizenKey, binding, flipped), SealBroken, `byte ${at}`);
  }
});

test('the key of one document does not open the blob of another', () => {
  assert.equal(content.header.length, headerBytes);
  assert.throws(() => blobKey(createId('document'), content), SealBroken);
});
