import { showUnseen } from '../../model/text/unseen.ts';

/** A name as it is, on one line; it may contain anything. */
export function visibleName(name: string): string {
  return showUnseen(name).replaceAll('\n', '␊').replaceAll('\t', '␉');
}
