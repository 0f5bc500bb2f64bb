import { printable } from '../problem.ts';
import type { HeldBack } from './hold-back.ts';
import { filesOf } from './settings-from.ts';

/** The workspace whose files were read, and whether they are trusted. */
export interface WorkspaceTrust {
  /** Its real path, without links. */
  readonly folder: string;
  /** Hash of all workspace files that can set something; null if there are none. */
  readonly sha256: string | null;
  readonly trusted: boolean;
  /** The settings that would take effect now if they were trusted. */
  readonly needsTrust: readonly HeldBack[];
  /** All settings that trust would allow, including those that other settings override today: trust lasts longer. */
  readonly asksFor: readonly HeldBack[];
}

/** One line about ignored settings, the reason, and the fix; null if none. */
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
