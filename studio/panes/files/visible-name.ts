import { showUnseen } from '../../model/text/unseen.ts';

/** A name as it is, on one line: whoever made the file chose it. */
export function visibleName(name: string): string {
  return showUnseen(name).replaceAll('\n', '␊').replaceAll('\t', '␉');
}
