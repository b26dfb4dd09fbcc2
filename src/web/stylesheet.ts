import { createHash } from 'node:crypto';
import type { PageRoute } from '../api/page-route.ts';
import { sessionWarningCss } from './session-warning.ts';

const css = `
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --line: #6b6b6b; --link: #0b4f9e; --fault: #b10e1e; }
@media (prefers-color-scheme: dark) { :root { --ink: #f2f2f2; --paper: #141414; --line: #9a9a9a; --link: #8ab8ff; --fault: #ff9e9e; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1.0625rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
header { border-block-end: 1px solid var(--line); padding: 0.75rem max(1.25rem, 50% - 28.75rem); font-weight: 600; }
header p { margin-block: 0 0.25rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; list-style: none; padding: 0; align-items: baseline; font-weight: 400; }
nav a, .list a { display: inline-block; padding-block: 0.5rem; } nav a { border-block-end: 3px solid transparent; } nav [aria-current] { font-weight: 600; color: inherit; text-decoration: none; border-color: currentColor; }
nav.index ul { display: block; } nav.index p { margin-block: 1rem 0; }
nav button { min-block-size: 0; padding: 0.4rem 0; border: 0; background: none; color: var(--link); text-decoration: underline; cursor: pointer; }
main { max-inline-size: 60rem; margin-inline: auto; padding: 1rem 1.25rem 3rem; }
h1 { line-height: 1.2; margin-block: 0.75rem 1rem; }
a { color: var(--link); } :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
button { font: inherit; min-block-size: 2.75rem; padding: 0.5rem 1.25rem; border: 1px solid var(--link); border-radius: 0.25rem; background: var(--link); color: var(--paper); }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { margin-block: 0.75rem; padding: 0.5rem 0.75rem; border-inline-start: 4px solid var(--line); white-space: pre-wrap; line-height: 1.45; } summary { padding-block: 0.35rem; }
dt { font-weight: 600; } dd { margin: 0 0 0.75rem; } ul { margin-block: 0; padding-inline-start: 1.25rem; }
article { border: 1px solid var(--line); padding: 0 1rem 0.75rem; margin-block: 1rem; } article :is(h2, h3) { margin-block: 0.75rem; line-height: 1.3; }
time { white-space: nowrap; }
.mail { white-space: pre-wrap; unicode-bidi: plaintext; text-align: start; }
.list { list-style: none; padding: 0; } .list time { display: inline-block; white-space: normal; } .list > li { border-block-end: 1px solid var(--line); padding-block: 0.6rem; } .list p { margin: 0; }
.fresh { font-weight: 700; } .badge { border: 1px solid; border-radius: 0.25rem; padding: 0 0.35rem; font-size: 0.85em; font-weight: 600; }
.note { color: var(--ink); border-inline-start: 4px solid var(--line); padding-inline-start: 0.75rem; }
.action { display: inline-block; min-block-size: 2.75rem; padding: 0.5rem 1.25rem; border-radius: 0.25rem; background: var(--link); color: var(--paper); text-decoration: none; }
fieldset { border: 1px solid var(--line); padding: 0.25rem 1rem 0.75rem; margin: 1rem 0; min-inline-size: 0; } legend { font-weight: 600; padding-inline: 0.25rem; }
label { font-weight: 600; } .choice { display: flex; gap: 0.5rem; } .choice input { flex: none; margin: 0; } select, input[type='email'], input[type='tel'], [name='code'] { display: block; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 0.25rem; min-block-size: 2.75rem; padding: 0.25rem 0.5rem; max-inline-size: 100%; }
input[type='checkbox'] { inline-size: 1.5rem; block-size: 1.5rem; vertical-align: middle; accent-color: var(--link); } :is(input, select)[aria-invalid] { border: 3px solid var(--fault); }
.faults { border: 4px solid var(--fault); padding: 0 1rem 0.75rem; margin-block: 1rem; } input[type='email'], input[type='tel'] { inline-size: 26rem; } .fault { display: block; color: var(--fault); font-weight: 600; }
table { border-collapse: collapse; } th, td { overflow-wrap: normal; text-align: start; padding: 0.35rem 0.75rem 0.35rem 0; border-block-end: 1px solid var(--line); vertical-align: top; }
[role='region'] { overflow-x: auto; }
${sessionWarningCss}`;

/** The path contains a hash of the content, so that browsers may cache it forever. */
export const stylesheetPath = `/assets/${createHash('sha256').update(css).digest('hex').slice(0, 16)}.css`;

/** The stylesheet of all pages. */
export const stylesheet: PageRoute = {
  path: stylesheetPath,
  get: async () => ({
    status: 200,
    headers: { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'public, max-age=31536000, immutable' },
    body: css,
  }),
};

const faviconSvg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b4f9e"/><path d="m4 8.5 3 3 5-7" fill="none" stroke="#fff" stroke-width="2"/></svg>`;

/** The icon of all pages, at the path where browsers look for it. */
export const favicon: PageRoute = {
  path: '/favicon.ico',
  get: async () => ({
    status: 200,
    headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' },
    body: faviconSvg,
  }),
};
