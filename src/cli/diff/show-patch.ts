import { sanitizeLine } from '../chat/sanitize.ts';
import { paint } from '../output/paint.ts';
import { writeOut } from '../output/write-out.ts';

/** Writes part of a patch: exact bytes to a file or pipe; to a terminal, coloured text that cannot control it. */
export async function showPatch(patch: Buffer, binary: boolean): Promise<void> {
  await writeOut(process.stdout, process.stdout.isTTY ? shownPatch(patch, binary) : patch);
}

/** For terminals: control characters made visible, hashes shortened, encoded bytes left out. */
export function shownPatch(patch: Buffer, binary: boolean): string {
  const text = patch.toString('utf8');
  const end = binary ? text.indexOf('GIT binary patch\n') : -1;
  const lines = (end < 0 ? text : `${text.slice(0, end)}Binary content changed\n`).split('\n').slice(0, -1);
  let isHeader = true;
  const shown = lines.map((line) => {
    if (line.startsWith('@@ ')) isHeader = false;
    const safe = sanitizeLine(line);
    if (isHeader)
      return paint.bold(safe.replace(/^index ([0-9a-f]{7})[0-9a-f]*\.\.([0-9a-f]{7})[0-9a-f]*/, 'index $1..$2'));
    if (line.startsWith('@@ ')) return paint.cyan(safe);
    if (line.startsWith('+')) return paint.green(safe);
    return line.startsWith('-') ? paint.red(safe) : safe;
  });
  return `${shown.join('\n')}\n`;
}
