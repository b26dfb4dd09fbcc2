import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import type { PageRoute } from '../api/page-route.ts';
import { readSettings, SettingError } from '../config/settings.ts';
import { contrastRatio } from '../kernel/colour-contrast.ts';
import { openSiteFrame } from './site-frame.ts';

const svg = '<?xml version="1.0"?>\n<!-- the arms --><svg xmlns="http://www.w3.org/2000/svg"/>';
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(32)]);

function writeLogo(content: string | Buffer): string {
  const path = join(makeTestFolder('cs-logo-'), 'logo');
  writeFileSync(path, content);
  return path;
}

async function bodyOf({ get }: PageRoute): Promise<string> {
  const answer = await get({}, new URLSearchParams());
  assert.ok('body' in answer);
  return String(answer.body);
}

test('the stylesheet of citizens has the colour of the operator, and a readable form of it in the dark scheme', async () => {
  for (const colour of ['#00693e', '#7a0019', '#0b4f9e', '#000000', '#4b2a7b']) {
    const { frame, pages } = openSiteFrame(readSettings({ CITIZEN_PAGES_COLOUR: colour }));
    const [stylesheet] = pages;
    assert.ok(stylesheet?.path === frame.stylesheetPath);
    const css = await bodyOf(stylesheet);
    const brand = css.slice(css.lastIndexOf('--brand'));
    const [dark = ''] = /(?<=prefers-color-scheme: dark\) \{ :root \{ --link: )#\w+/.exec(brand) ?? [];
    assert.ok(brand.startsWith(`--brand: ${colour}; --link: ${colour};`), brand);
    for (const background of ['#ffffff', '#f2f4f7']) assert.ok(contrastRatio(colour, background) >= 4.5, colour);
    for (const background of ['#141618', '#1f2327']) assert.ok(contrastRatio(dark, background) >= 4.5, dark);
  }
});

test('a colour on which white text is not readable ends the start with what to set instead', () => {
  for (const colour of ['#ffff00', '#767676', '#ffffff', 'green', '#0b4f9e;}', '#fff'])
    assert.throws(() => readSettings({ CITIZEN_PAGES_COLOUR: colour }), {
      name: 'SettingError',
      message: /^CITIZEN_PAGES_COLOUR: expected a colour as #RRGGBB .* at least 5.* such as #0b4f9e, received "/,
    });
});

test('an SVG or PNG logo is served from this server, and an SVG may run no script', async () => {
  for (const [content, type] of [
    [svg, 'image/svg+xml'],
    [png, 'image/png'],
  ] as const) {
    const { frame, pages } = openSiteFrame(readSettings({ CITIZEN_PAGES_LOGO: writeLogo(content) }));
    const logo = pages.find(({ path }) => path === frame.logoPath);
    const answer = await logo?.get({}, new URLSearchParams());
    assert.ok(answer !== undefined && 'body' in answer);
    assert.equal(answer.headers['content-type'], type);
    assert.match(String(answer.headers['cache-control']), /immutable/);
    assert.ok(Buffer.from(answer.body).equals(Buffer.from(content)));
    if (type === 'image/svg+xml')
      assert.match(String(answer.headers['content-security-policy']), /default-src 'none'.*sandbox/);
    assert.equal(frame.iconPath, frame.logoPath);
  }
});

test('a logo that is missing, too large or another format ends the start', () => {
  const open = (path: string) => () => openSiteFrame(readSettings({ CITIZEN_PAGES_LOGO: path }));
  assert.throws(open(join(makeTestFolder('cs-logo-'), 'none.svg')), SettingError);
  assert.throws(open(makeTestFolder('cs-logo-')), SettingError);
  assert.throws(open(writeLogo(Buffer.concat([png, Buffer.alloc(200_000)]))), /at most 200000 bytes, received 200040/);
  for (const other of ['GIF89a', '<html><svg/></html>', ''])
    assert.throws(open(writeLogo(other)), /expected an SVG or PNG file/);
});

test('the footer links to the pages that are set, and instants have the time zone of the operator', () => {
  const { frame } = openSiteFrame(
    readSettings({
      ACCESSIBILITY_URL: 'https://porto.example/a11y',
      PRIVACY_URL: 'https://porto.example/privacy',
      HELP_URL: 'mailto:help@porto.example',
      TIME_ZONE: 'Europe/Lisbon',
      CITIZEN_PAGES_NAME: 'City of Porto',
    }),
  );
  assert.deepEqual(frame.footerLinks, {
    accessibility: 'https://porto.example/a11y',
    privacy: 'https://porto.example/privacy',
    help: 'mailto:help@porto.example',
  });
  assert.deepEqual([frame.timeZone, frame.name], ['Europe/Lisbon', 'City of Porto']);
  assert.throws(() => readSettings({ PRIVACY_URL: 'javascript:alert(1)' }), SettingError);
});
