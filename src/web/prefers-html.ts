import { parseAccept, qualityOf } from '../api/media-range.ts';

/** Whether who sends that `Accept` is a person at a browser. Programs that take anything read a problem. */
export function prefersHtml(accept = ''): boolean {
  const ranges = parseAccept(accept);
  return qualityOf('text/html', ranges) > qualityOf('application/problem+json', ranges);
}
