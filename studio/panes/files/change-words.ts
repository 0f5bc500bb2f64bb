import type { FsEntry } from '../../../src/protocol/index.ts';
import { byteSize } from '../../model/bytes/byte-size.ts';
import type { FileChange } from '../../model/files/file-changes.ts';
import type { say } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { visibleName } from './visible-name.ts';

const words = strings.files;

/** `14 KB → 15 KB`, or the only size. */
export function sizesOf({ before, after }: FileChange, text: typeof say): string {
  const sizes = [before, after].filter((entry) => entry !== null).map(({ size }) => byteSize(size));
  return sizes.length === 2 && sizes[0] !== sizes[1] ? text(words.sizes)(sizes[0]!, sizes[1]!) : (sizes[0] ?? '');
}

/** Changes other than the content of a text: links, modes, kinds. */
export function changeWords({ before, after }: FileChange, text: typeof say): string[] {
  const said: string[] = [];
  const entry = after ?? before;
  if (before && after && before.type !== after.type) said.push(text(words.becameType)(before.type, after.type));
  if (entry?.type === 'symlink') said.push(linkWords(before, after, text));
  if (entry?.type === 'directory') said.push(text(words.directory));
  if (entry?.type === 'other') said.push(text(words.other));
  if (before && after && before.mode !== after.mode) said.push(text(words.modes)(octal(before), octal(after)));
  if (entry?.error !== undefined) said.push(entry.error);
  if (before?.changed_while_read || after?.changed_while_read) said.push(text(words.changedWhileRead));
  return said;
}

/** Why there is nothing to compare; null if there is something. */
export function missingWords(change: FileChange, text: typeof say): string | null {
  const sides = [
    [change.before, change.beforeBlob],
    [change.after, change.afterBlob],
  ] as const;
  const files = sides.filter(([entry]) => entry?.type === 'file');
  const lost = files.filter(([, blob]) => blob === null);
  if (files.length === 0 || lost.length === 0) return null;
  if (change.before?.sha256 && change.before.sha256 === change.after?.sha256) return text(words.sameContent);
  return text(words.notKept)(text(words[change.kind]), sizesOf(change, text));
}

function linkWords(before: FsEntry | null, after: FsEntry | null, text: typeof say): string {
  const [from, to] = [before?.target, after?.target];
  if (from !== undefined && to !== undefined && from !== to) {
    return text(words.linkChanged)(visibleName(from), visibleName(to));
  }
  return text(words.linkTo)(visibleName(to ?? from ?? '?'));
}

function octal({ mode }: FsEntry): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
