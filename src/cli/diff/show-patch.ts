import { sanitizeLine } from '../chat/sanitize.ts';
import { paint } from '../output/paint.ts';
import { writeOut } from '../output/write-out.ts';

/** Writes part of a patch: exact bytes to a file or pipe; to a terminal, coloured text that cannot control it. */
export async function showPatch(patch: Buffer): Promise<void> {
  await writeOut(process.stdout, process.stdout.isTTY ? shownPatch(patch) : patch);
}

/** For terminals: control characters made visible, hashes shortened. */
export function shownPatch(patch: Buffer): string {
  const lines = patch.toString('utf8').split('\n').slice(0, -1);
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
