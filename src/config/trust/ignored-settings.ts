import { printable } from '../problem.ts';
import type { HeldBack } from './hold-back.ts';
import { filesOf } from './settings-from.ts';

/** The workspace whose files were read, and what they may do. */
export interface WorkspaceTrust {
  /** Its one name, without links. */
  readonly folder: string;
  /** Of all files of the workspace that can set something; null when there are none. */
  readonly sha256: string | null;
  readonly trusted: boolean;
  /** What they would set now, were they trusted, beyond what needs no trust. */
  readonly needsTrust: readonly HeldBack[];
  /** The same for whoever trusts them, which is for longer than now: also where other settings are in the way today. */
  readonly asksFor: readonly HeldBack[];
}

/** One line about what is ignored, why, and what to do; null when nothing is. */
export function describeIgnored({
  trusted,
  needsTrust,
  folder,
}: Pick<WorkspaceTrust, 'trusted' | 'needsTrust' | 'folder'>): string | null {
  if (trusted || needsTrust.length === 0) return null;
  const files = filesOf(needsTrust).map(({ file, keys }) => `${keys.join(', ')} of ${printable(file)}`);
  return `ignored, because the folder is not trusted: ${files.join('; ')}. To look at them and allow them: tacho trust ${asWord(folder)}`;
}

/** The path as one word of a command line. */
function asWord(folder: string): string {
  const text = printable(folder);
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
