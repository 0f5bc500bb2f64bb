import { showUnseen } from '../../model/text/unseen.ts';

/** A name on one line, with every character visible. */
export function visibleName(name: string): string {
  return showUnseen(name).replaceAll('\n', '␊').replaceAll('\t', '␉');
}
