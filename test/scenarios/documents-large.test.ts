import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { makeServerFixture } from '../support/server-process.ts';

const mib = 1_048_576;
/** More than the allowed memory, which must not depend on it: set `LARGE_DOCUMENT_MIB=1024` for a gigabyte. */
const sizeMib = Number(process.env['LARGE_DOCUMENT_MIB'] ?? 192);
const size = sizeMib * mib;
const aboveIdleMib = 150;

const block = Buffer.alloc(mib, 'a large document that is never held whole ');

async function* pieces() {
  yield Buffer.concat([Buffer.from('%PDF-1.7\n'), block.subarray(9)]);
  for (let count = 1; count < sizeMib; count += 1) yield block;
}

/** The resident memory of a process in MiB, on Linux. */
function residentMib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/** Measures the memory of a process while `work` runs; returns its peak. */
async function peakMib(pid: number, work: () => Promise<void>): Promise<number> {
  let peak = residentMib(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMib(pid));
  }, 10);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peak;
}

const skip = process.platform === 'linux' ? false : 'resident memory is read from /proc';

test('a large document is uploaded and downloaded in constant memory, and a range at its end can be read', {
  skip,
}, async (t) => {
  const home = await makeServerFixture(t, { settings: { DOCUMENT_LIMIT_MIB: String(sizeMib + 1) } });
  const server = await home.start();
  const authorization = `Bearer ${await home.fetchAccessToken()}`;
  const idle = residentMib(server.pid);
  const up = createHash('sha256');
  let path = '';
  const uploading = await peakMib(server.pid, async () => {
    const response = await fetch(`${home.url}/v1/documents`, {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/pdf',
        'citizen-id': 'demo-mary',
        'document-title': 'Large',
      },
      body: (async function* () {
        for await (const piece of pieces()) {
          up.update(piece);
          yield piece;
        }
      })(),
      duplex: 'half',
    });
    assert.equal(response.status, 201, await response.clone().text());
    path = response.headers.get('location') ?? '';
    await response.body?.cancel();
  });
  const down = createHash('sha256');
  let length = 0;
  const downloading = await peakMib(server.pid, async () => {
    const response = await fetch(`${home.url}${path}`, { headers: { authorization } });
    for await (const piece of response.body ?? []) {
      down.update(piece);
      length += piece.length;
    }
  });
  assert.equal(length, size);
  assert.ok(down.digest().equals(up.digest()));

  const end = await fetch(`${home.url}${path}`, { headers: { authorization, range: 'bytes=-100' } });
  assert.equal(end.status, 206);
  assert.deepEqual(Buffer.from(await end.arrayBuffer()), block.subarray(-100));
  t.diagnostic(
    `${sizeMib} MiB: idle ${Math.round(idle)} MiB, up +${Math.round(uploading - idle)}, down +${Math.round(downloading - idle)}`,
  );
  assert.ok(uploading - idle <= aboveIdleMib, `up: ${uploading - idle} MiB above idle`);
  assert.ok(downloading - idle <= aboveIdleMib, `down: ${downloading - idle} MiB above idle`);
});
