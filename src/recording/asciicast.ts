import { StringDecoder } from 'node:string_decoder';
import type { Moment, PtyHeader } from './playback.ts';

export interface AsciicastOptions {
  header: PtyHeader;
  title: string;
  /** The record holds bare line feeds; a player needs the carriage return. */
  addCarriageReturn: boolean;
}

/** asciicast v2: a header object, then one `[seconds, code, data]` array per line. */
export function* asciicast(moments: Iterable<Moment>, options: AsciicastOptions): Generator<string> {
  const { header, title } = options;
  yield `${JSON.stringify({
    version: 2,
    width: header.cols,
    height: header.rows,
    timestamp: Math.floor(header.startedAt.getTime() / 1000),
    command: header.command,
    title,
    env: { TERM: header.term },
  })}\n`;
  // A character may be cut by a chunk border, so what is left of one waits for its rest.
  const decoders = { output: new StringDecoder('utf8'), input: new StringDecoder('utf8') };
  let last = 0;
  for (const moment of moments) {
    last = moment.time;
    if (moment.kind === 'resize') {
      yield line(moment.time, 'r', `${moment.cols}x${moment.rows}`);
      continue;
    }
    const text = decoders[moment.kind].write(moment.bytes);
    if (text === '') continue;
    if (moment.kind === 'input') yield line(moment.time, 'i', text);
    else yield line(moment.time, 'o', options.addCarriageReturn ? text.replaceAll(/\r?\n/g, '\r\n') : text);
  }
  const rest = decoders.output.end();
  if (rest !== '') yield line(last, 'o', rest);
}

function line(micros: number, code: 'o' | 'i' | 'r', data: string): string {
  return `[${(micros / 1e6).toFixed(6)}, "${code}", ${JSON.stringify(data)}]\n`;
}
