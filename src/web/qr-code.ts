import { encode } from 'uqr';
import { type Html, html } from './html.ts';

/** The quiet zone around the code, in modules (ISO/IEC 18004, section 5.3.8). */
const quietZone = 4;

/** A QR code as SVG, black on white in every colour scheme, because cameras need the contrast. `label` is its text alternative. */
export function qrCode(content: string, label: string): Html {
  const { data, size } = encode(content, { ecc: 'M', border: quietZone });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return html`<svg class="qr-code" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#ffffff"/><path d="${path}" fill="#000000"/></svg>`;
}
