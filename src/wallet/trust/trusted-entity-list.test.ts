import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import {
  makeEntityList,
  makeTestIssuer,
  signWithChain,
  type TestIssuer,
} from '../../../test/support/credential-issuers.ts';
import { testDataPath, testDataSkipReason } from '../../../test/support/test-data.ts';
import { parseIssuerCertificate } from './issuer-certificate.ts';
import { openSignedEntityList, parseEntityList, type TrustedEntityList } from './trusted-entity-list.ts';

const vectors = testDataPath('vectors/wallet/lote.json');
const now = Date.parse('2026-06-15T00:00:00Z');
let operator: TestIssuer;
let ca: TestIssuer;
before(async () => {
  [operator, ca] = [await makeTestIssuer('Operator'), await makeTestIssuer('PID CA', { ca: true })];
});

const namesOf = ({ entities }: TrustedEntityList) =>
  entities.map(({ name, issuing, revoking }) => [
    name,
    ...[issuing, revoking].map((list) => list.map((one) => one.x509.subject)),
  ]);

test('the published valid list is read, and the invalid one is refused by its unknown member', {
  skip: vectors === undefined && testDataSkipReason,
}, () => {
  const { valid, invalidExtraProperty } = JSON.parse(readFileSync(vectors ?? '', 'utf8'));
  const list = parseEntityList(JSON.stringify(valid));
  assert.deepEqual(
    [list.nextUpdate, namesOf(list)],
    [Date.parse('2026-08-21T00:00:00Z'), [['Example wallet provider', [], []]]],
  );
  assert.throws(() => parseEntityList(JSON.stringify(invalidExtraProperty)), {
    message: '/LoTE/ListAndSchemeInformation/notInTheStandard: is not a known member',
  });
});

test('granted services for issuance and revocation count, and those of wallets and relying parties do not', async () => {
  const list = makeEntityList({
    Ministry: { 'PID/Issuance': [ca], 'PID/Revocation': [operator] },
    Agency: { 'WRPAC/Issuance': [ca], 'WRPRC/Issuance': [ca], 'WalletSolution/Issuance': [ca] },
  });
  assert.deepEqual(namesOf(parseEntityList(JSON.stringify(list))), [
    ['Ministry', ['CN=PID CA'], ['CN=Operator']],
    ['Agency', [], []],
  ]);
  const service = (of: object) => {
    const changed = JSON.parse(JSON.stringify(makeEntityList({ Ministry: { 'PID/Issuance': [ca] } })));
    Object.assign(changed.LoTE.TrustedEntitiesList[0].TrustedEntityServices[0].ServiceInformation, of);
    return namesOf(parseEntityList(JSON.stringify(changed)))[0]?.[1];
  };
  const statusUri = 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus';
  assert.deepEqual(service({ ServiceStatus: `${statusUri}/granted` }), ['CN=PID CA']);
  assert.deepEqual(service({ ServiceStatus: `${statusUri}/withdrawn` }), []);
  assert.deepEqual(service({ ServiceInformationExtensions: [{ Critical: true, Unknown: 1 }] }), []);
  assert.deepEqual(service({ ServiceInformationExtensions: [{ Critical: false, Unknown: 1 }] }), ['CN=PID CA']);
});

test('a list or an entity with an unknown critical extension is not used', () => {
  const critical = [{ Critical: true, Unknown: 1 }];
  const changed = JSON.parse(JSON.stringify(makeEntityList({ Ministry: { 'PID/Issuance': [ca] } })));
  changed.LoTE.TrustedEntitiesList[0].TrustedEntityInformation.TEInformationExtensions = critical;
  assert.deepEqual(namesOf(parseEntityList(JSON.stringify(changed))), [['Ministry', [], []]]);
  changed.LoTE.ListAndSchemeInformation.SchemeExtensions = critical;
  assert.throws(() => parseEntityList(JSON.stringify(changed)), {
    message: /expected no critical extension of the list/,
  });
});

test('a signed list needs the configured certificate of its signer, which is valid now', async () => {
  const content = makeEntityList({ Ministry: { 'PID/Issuance': [ca] } });
  const signers = [parseIssuerCertificate(operator.der)];
  const jws = await signWithChain(content, { crit: ['sigT'], sigT: '2026-06-01T00:00:00Z' }, [operator]);
  assert.deepEqual(namesOf(await openSignedEntityList(`${jws}\n`, signers, now)), [['Ministry', ['CN=PID CA'], []]]);
  const wrongSigner = /signed by a configured certificate/;
  const twin = await makeTestIssuer('Operator');
  const refused: readonly (readonly [string, RegExp])[] = [
    [await signWithChain(content, {}, [twin]), wrongSigner],
    [await signWithChain(content, {}, [await makeTestIssuer('Below', { issuer: operator }), operator]), wrongSigner],
    [await signWithChain(content, { x5c: [operator.der.toString('base64')] }, [twin]), /does not verify/],
    [JSON.stringify(content), wrongSigner],
    [await signWithChain({ LoTE: {} }, {}, [operator]), /\/LoTE: /],
  ];
  for (const [text, message] of refused)
    await assert.rejects(openSignedEntityList(text, signers, now), { name: 'TypeError', message });
  await assert.rejects(openSignedEntityList(jws, signers, Date.parse('2027-01-02T00:00:00Z')), {
    message: wrongSigner,
  });
});
