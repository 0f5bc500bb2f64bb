import type { ByteRange } from '../../../src/protocol/index.ts';
import { formatUrl } from '../../model/url.ts';
import { FIRST_VIEW } from '../../model/view.ts';

/** A URL that shows exactly these bytes of this run. */
export function linkTo(range: ByteRange): string {
  const view = { ...FIRST_VIEW, tab: 'raw', selection: { kind: 'bytes', range } } as const;
  return `${location.origin}${location.pathname}${formatUrl(view)}`;
}
