import { crc32 } from 'node:zlib';

/** A file that clamd must not report as clean, and the setting of clamd.conf for that. */
type ClamdProbe = { readonly name: string; readonly bytes: Buffer; readonly setting: string };

/** Deeper than any `MaxRecursion` of clamd. */
const depth = 120;

/**
 * By default clamd answers `OK` for files that it cannot scan: encrypted ones, and those over its limits. Its configuration
 * cannot be read over the socket, so these files test it.
 */
export function createClamdProbes(): readonly ClamdProbe[] {
  let nested: Buffer = Buffer.from('innermost');
  for (let level = 0; level < depth; level += 1) nested = storedZip(`${level}.zip`, nested, 0);
  return [
    { name: 'encrypted archive', bytes: storedZip('a', Buffer.alloc(64, 7), 1), setting: 'AlertEncryptedArchive yes' },
    { name: 'encrypted PDF', bytes: encryptedPdf(), setting: 'AlertEncryptedDoc yes' },
    { name: 'archive beyond MaxRecursion', bytes: nested, setting: 'AlertExceedsMax yes' },
  ];
}

/** A ZIP archive of one uncompressed entry (APPNOTE 4.3.6); bit 0 of `flags` marks the entry as encrypted. */
export function storedZip(name: string, content: Buffer, flags: 0 | 1): Buffer {
  const entry = Buffer.alloc(26);
  entry.writeUInt16LE(10, 0);
  entry.writeUInt16LE(flags, 2);
  entry.writeUInt16LE(0x21, 8);
  entry.writeUInt32LE(crc32(content), 10);
  entry.writeUInt32LE(content.length, 14);
  entry.writeUInt32LE(content.length, 18);
  entry.writeUInt16LE(Buffer.byteLength(name), 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), entry, Buffer.from(name), content]);
  const place = Buffer.alloc(14);
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x0a\0', 'latin1'), entry, place, Buffer.from(name)]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, central, Buffer.from('PK\x05\x06'), end]);
}

/** A PDF without pages whose trailer names an encryption dictionary (ISO 32000-1, 7.6). */
function encryptedPdf(): Buffer {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[]/Count 0>>',
    `<</Filter/Standard/V 2/R 3/Length 128/P -4/O<${'11'.repeat(32)}>/U<${'22'.repeat(32)}>>>`,
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const id = `<${'33'.repeat(16)}>`;
  const trailer = `<</Size 4/Root 1 0 R/Encrypt 3 0 R/ID[${id}${id}]>>`;
  return Buffer.from(
    `${text}xref\n0 4\n0000000000 65535 f \n${rows}trailer\n${trailer}\nstartxref\n${text.length}\n%%EOF\n`,
  );
}
