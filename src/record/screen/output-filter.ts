/** Receives what a terminal would act on, in order. */
export interface OutputSink {
  /** Printable characters, line feeds and tabs; never a part of a character. Valid during the call. */
  text(bytes: Uint8Array): void;
  /** BS, VT, FF, CR, SO or SI. */
  control(code: number): void;
  sequence(sequence: Sequence): void;
}

/** A complete escape sequence: `ESC body final`, or `ESC [ body final`. */
export interface Sequence {
  kind: 'escape' | 'csi';
  /** Parameters and intermediate characters. */
  body: string;
  final: string;
}

const ESCAPE = 0x1b;
const BELL = 0x07;
const DELETE = 0x7f;
const LINE_FEED = 0x0a;
/** No sequence of a real program is longer; the rest of a longer one is skipped. */
const MAX_BODY = 256;
/** The first byte of C1 controls in UTF-8, which modern terminals ignore. */
const C1_LEAD = 0xc2;

/** Bytes that continue a run of text. */
const IS_TEXT = Uint8Array.from({ length: 256 }, (_, byte) =>
  (byte >= 0x20 && byte !== DELETE && byte !== C1_LEAD) || byte === LINE_FEED || byte === 0x09 ? 1 : 0,
);
const PASSED_CONTROLS = new Set([0x08, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f]);

/**
 * Cuts the output of one terminal into text, controls and complete sequences, however it was split. Strings (titles,
 * links, images, clipboard) are dropped: they change nothing on the screen, and may be endless.
 */
export class OutputFilter {
  readonly #sink: OutputSink;
  #state: 'text' | 'escape' | 'csi' | 'title' | 'string' = 'text';
  #body = '';
  /** The beginning of a character whose rest is to come. */
  #partial = new Uint8Array(0);

  constructor(sink: OutputSink) {
    this.#sink = sink;
  }

  push(received: Uint8Array): void {
    const bytes = this.#partial.length === 0 ? received : joined(this.#partial, received);
    if (this.#partial.length > 0) this.#partial = new Uint8Array(0);
    for (let at = 0; at < bytes.length; ) {
      if (this.#state === 'text') at = this.#takeText(bytes, at);
      else if (this.#state === 'escape' || this.#state === 'csi') at = this.#takeSequence(bytes, at);
      else at = this.#skipString(bytes, at);
    }
  }

  /** The output ends, perhaps within a character. */
  end(): void {
    if (this.#partial.length > 0) this.#sink.text(this.#partial);
    this.#partial = new Uint8Array(0);
  }

  #takeText(bytes: Uint8Array, from: number): number {
    let to = from;
    for (; to < bytes.length; to++) {
      if (IS_TEXT[bytes[to]!] === 1) continue;
      if (bytes[to] === C1_LEAD && !isC1(bytes, to)) continue;
      break;
    }
    const isEnd = to === bytes.length;
    const textTo = isEnd ? to - incompleteTail(bytes, from) : to;
    if (textTo > from) this.#sink.text(bytes.subarray(from, textTo));
    if (isEnd) {
      this.#partial = bytes.slice(textTo);
      return to;
    }
    const byte = bytes[to]!;
    if (byte === C1_LEAD) return to + 2;
    if (byte === ESCAPE) this.#begin('escape');
    else if (PASSED_CONTROLS.has(byte)) this.#sink.control(byte);
    return to + 1;
  }

  #takeSequence(bytes: Uint8Array, at: number): number {
    const byte = bytes[at]!;
    if (byte >= 0x80) {
      this.#state = 'text'; // No sequence contains such a character, so it was not one.
      return at;
    }
    if (byte < 0x20 || byte === DELETE) {
      if (byte === ESCAPE) this.#begin('escape');
      else if (isCancel(byte)) this.#state = 'text';
      else if (byte === LINE_FEED || byte === 0x09) this.#sink.text(bytes.subarray(at, at + 1));
      else if (PASSED_CONTROLS.has(byte)) this.#sink.control(byte);
      return at + 1;
    }
    const character = String.fromCharCode(byte);
    if (this.#state === 'escape' && this.#body === '' && character === '[') this.#begin('csi');
    else if (this.#state === 'escape' && this.#body === '' && character === ']') this.#state = 'title';
    else if (this.#state === 'escape' && this.#body === '' && 'PX^_'.includes(character)) this.#state = 'string';
    else if (byte < (this.#state === 'csi' ? 0x40 : 0x30)) {
      if (this.#body.length <= MAX_BODY) this.#body += character;
    } else {
      const kind = this.#state === 'csi' ? 'csi' : 'escape';
      this.#state = 'text';
      if (this.#body.length <= MAX_BODY) this.#sink.sequence({ kind, body: this.#body, final: character });
    }
    return at + 1;
  }

  #skipString(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === ESCAPE) {
        this.#begin('escape');
        return at + 1;
      }
      if (isCancel(byte) || (byte === BELL && this.#state === 'title')) {
        this.#state = 'text';
        return at + 1;
      }
    }
    return bytes.length;
  }

  #begin(state: 'escape' | 'csi'): void {
    this.#state = state;
    this.#body = '';
  }
}

/** CAN and SUB cancel the sequence in which they appear. */
function isCancel(byte: number): boolean {
  return byte === 0x18 || byte === 0x1a;
}

function isC1(bytes: Uint8Array, at: number): boolean {
  const next = bytes[at + 1];
  return next !== undefined && next >= 0x80 && next < 0xa0;
}

/** How many bytes at the end begin a character that is not complete. */
function incompleteTail(bytes: Uint8Array, from: number): number {
  for (let length = 1; length <= 3 && bytes.length - length >= from; length++) {
    const byte = bytes[bytes.length - length]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > length ? length : 0;
  }
  return 0;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
