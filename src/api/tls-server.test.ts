import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { issueCertificate } from '../../test/support/certificates.ts';
import { createTlsServer } from './tls-server.ts';

test('a renewed certificate is used without a restart, and an unreadable one changes nothing', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const [old, renewed] = [
    await issueCertificate('old', { use: 'server' }),
    await issueCertificate('renewed', { use: 'server' }),
  ];
  const pairs = [old, undefined, renewed];
  const server = createTlsServer(
    { ...old, requestCertificate: false, authorities: [], renew: () => pairs.shift() },
    {},
    (_request, response) => response.end(),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const shown = async () => {
    const socket = connect({ host: '127.0.0.1', port: address.port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return CN;
  };
  const names = [await shown()];
  for (let look = 0; look < 3; look += 1) {
    t.mock.timers.tick(600_000);
    names.push(await shown());
  }
  assert.deepEqual(names, ['old', 'old', 'old', 'renewed']);
});

test('[R67] protocols before TLS 1.2 and suites without authenticated encryption are refused', async (t) => {
  const pair = await issueCertificate('server', { use: 'server' });
  const server = createTlsServer({ ...pair, requestCertificate: false, authorities: [] }, {}, (_request, response) =>
    response.end(),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const speaks = async (options: object) => {
    const socket = connect({ host: '127.0.0.1', port: address.port, rejectUnauthorized: false, ...options });
    const spoken = await once(socket, 'secureConnect').then(
      () => socket.getProtocol(),
      () => 'refused',
    );
    socket.destroy();
    return spoken;
  };
  const loose = { ciphers: 'ALL:@SECLEVEL=0' };
  assert.equal(await speaks({}), 'TLSv1.3');
  assert.equal(await speaks({ maxVersion: 'TLSv1.2' }), 'TLSv1.2');
  assert.equal(await speaks({ ...loose, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }), 'refused');
  assert.equal(await speaks({ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-SHA384:@SECLEVEL=0' }), 'refused');
});
