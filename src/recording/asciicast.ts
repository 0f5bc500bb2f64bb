import { StringDecoder } from 'node:string_decoder';
import type { Moment, PtyHeader } from './playback.ts';

export interface AsciicastOptions {
  header: PtyHeader;
  title: string;
  /** The record holds bare line feeds; a player needs carriage returns. */
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
  // A chunk border may split a character, so incomplete bytes wait for the rest.
  const decoders = { a: new StringDecoder('utf8'), b: new StringDecoder('utf8'), input: new StringDecoder('utf8') };
  const display = options.addCarriageReturn ? carriageReturns() : (text: string) => text;
  let last = 0;
  for (const moment of moments) {
    last = moment.time;
    if (moment.kind === 'resize') {
      yield line(moment.time, 'r', `${moment.cols}x${moment.rows}`);
      continue;
    }
    const text = decoders[moment.kind === 'input' ? 'input' : moment.side].write(moment.bytes);
    if (text === '') continue;
    if (moment.kind === 'input') yield line(moment.time, 'i', text);
    else yield line(moment.time, 'o', display(text));
  }
  for (const [name, decoder] of Object.entries(decoders)) {
    const rest = decoder.end();
    if (rest !== '') yield line(last, name === 'input' ? 'i' : 'o', rest);
  }
}

/** Adds a carriage return before each line feed that has none, also across chunk borders. */
function carriageReturns(): (text: string) => string {
  let returned = false;
  return (text) => {
    const before = returned ? '\r' : '';
    returned = text.endsWith('\r');
    return (before + text).replaceAll(/\r?\n/g, '\r\n').slice(before.length);
  };
}

function line(micros: number, code: 'o' | 'i' | 'r', data: string): string {
  return `[${(micros / 1e6).toFixed(6)}, "${code}", ${JSON.stringify(data)}]\n`;
}
