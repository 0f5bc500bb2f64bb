import { StringDecoder } from 'node:string_decoder';
import { createStripper } from '../record/strip-controls.ts';
import { playback } from './playback.ts';
import type { RunFolder } from './run-folder.ts';

/** The readable output, without control sequences. */
export function* plainText(folder: RunFolder, attempt: number): Generator<string> {
  // A chunk border may split characters and sequences, which continue in the next chunk of the same terminal.
  const sides = { a: createReader(), b: createReader() };
  for (const moment of playback(folder, attempt)) {
    if (moment.kind !== 'output') continue;
    const text = sides[moment.side].read(moment.bytes);
    if (text !== '') yield text;
  }
  for (const side of Object.values(sides)) {
    const rest = side.end();
    if (rest !== '') yield rest;
  }
}

function createReader(): { read(bytes: Buffer): string; end(): string } {
  const decoder = new StringDecoder('utf8');
  const strip = createStripper();
  return { read: (bytes) => strip(decoder.write(bytes)), end: () => strip(decoder.end()) };
}
