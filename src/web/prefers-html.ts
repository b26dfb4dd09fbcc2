import { parseAccept, qualityOf } from '../api/media-range.ts';

/** Whether an `Accept` header prefers HTML, as browsers do. Programs that accept everything equally receive a problem. */
export function prefersHtml(accept = ''): boolean {
  const ranges = parseAccept(accept);
  return qualityOf('text/html', ranges) > qualityOf('application/problem+json', ranges);
}
