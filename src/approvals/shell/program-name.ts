import path from 'node:path';
import type { ShellWord } from './word.ts';

/** Folders whose programs are those that their names say. */
const SYSTEM_FOLDERS = new Set(['/bin', '/usr/bin', '/usr/local/bin', '/sbin', '/usr/sbin', '/usr/local/sbin']);

/** The name without its folder, wherever it is: enough to call a command dangerous, not to call it safe. */
export function baseName(word: ShellWord | undefined): string {
  return word?.kind === 'literal' ? path.posix.basename(word.value) : '';
}

/** The name that PATH or a folder of the system gives this program; `./ls` is not `ls`. */
export function systemName(word: ShellWord | undefined): string | null {
  if (word?.kind !== 'literal' || word.value === '') return null;
  if (!word.value.includes('/')) return word.value;
  return SYSTEM_FOLDERS.has(path.posix.dirname(word.value)) ? path.posix.basename(word.value) : null;
}
