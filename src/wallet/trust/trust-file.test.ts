import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pemOf } from '../../../test/support/credential-issuers.ts';
import { makeTestFolder } from '../../../test/support/test-folder.ts';
import { sandboxAnchor } from './sandbox-anchor.ts';
import { readTrustFile } from './trust-file.ts';

const folder = makeTestFolder('cs-wallet-');
writeFileSync(join(folder, 'ca.pem'), pemOf('CERTIFICATE', sandboxAnchor));

/** The types of the only kind of a trust file with these types. */
async function typesOf(types: object) {
  const pid = {
    types,
    issuers: [{ certificates: 'ca.pem' }],
    assurance: { framework: 'eidas', level: 'high' },
    statusUnknown: 'refuse',
  };
  const file = join(folder, 'trust.json');
  writeFileSync(file, JSON.stringify({ pid }));
  const [config] = await readTrustFile(file, 0);
  return config?.kind.types;
}

test('a kind of credential has one vct or several, and the document type of a PID', async () => {
  const domestic = ['urn:eudi:pid:1', 'urn:eudi:pid:de:1'];
  assert.deepEqual(await typesOf({ 'dc+sd-jwt': domestic }), { 'dc+sd-jwt': domestic });
  const [vct, documentType] = ['urn:eudi:pid:1', 'eu.europa.ec.eudi.pid.1'];
  const expected = { 'dc+sd-jwt': [vct], mso_mdoc: [documentType] };
  assert.deepEqual(await typesOf({ 'dc+sd-jwt': vct, mso_mdoc: documentType }), expected);
});

test('a kind without a vct, or with another document type, is refused with the expected value', async () => {
  await assert.rejects(typesOf({ 'dc+sd-jwt': [] }), {
    message: /\/pid\/types\/dc\+sd-jwt: must not have fewer than 1/,
  });
  await assert.rejects(typesOf({ mso_mdoc: 'org.iso.18013.5.1.mDL' }), {
    name: 'SettingError',
    message: /\/pid\/types\/mso_mdoc: must be one of "eu\.europa\.ec\.eudi\.pid\.1"/,
  });
});
