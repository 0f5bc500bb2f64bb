import { StringDecoder } from 'node:string_decoder';
import { playback } from './playback.ts';
import type { RunFolder } from './run-folder.ts';

/** Escape sequences (CSI, OSC and other strings, two-character ones) and control characters other than LF and tab. */
const ESCAPES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f]/g;
const LONGEST_SEQUENCE = 4096;

/** What a person would have read: the merged output without its control sequences. */
export function* plainText(folder: RunFolder, attempt: number): Generator<string> {
  const decoder = new StringDecoder('utf8');
  let held = '';
  for (const moment of playback(folder, attempt)) {
    if (moment.kind !== 'output') continue;
    held += decoder.write(moment.bytes);
    // A sequence may be cut by a chunk border: keep what may be the start of one.
    const start = held.lastIndexOf('\u001b');
    const cut = start >= 0 && held.length - start < LONGEST_SEQUENCE ? start : held.length;
    const ready = held.slice(0, cut);
    held = held.slice(cut);
    if (ready !== '') yield clean(ready);
  }
  held += decoder.end();
  if (held !== '') yield clean(held);
}

function clean(text: string): string {
  return text.replaceAll(ESCAPES, '').replaceAll('\u001b', '');
}
