import { judgeApc, judgeCsi, judgeDcs, judgeOsc, type Verdict } from './queries.ts';

const [ENQ, BEL, CAN, SUB, ESC] = [0x05, 0x07, 0x18, 0x1a, 0x1b];
/** C1 controls, each of which can also be written as `ESC` and the letter 0x40 lower. */
const [DCS, SOS, DECID, CSI, ST, OSC, PM, APC] = [0x90, 0x98, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f];
/** The final bytes of possible queries. Most sequences are colours, which are queries only after `?`. */
const ASKING_FINALS = Buffer.from('cnxptquSmgwyR|vh');
const [COLOUR, QUESTION_MARK] = [0x6d, 0x3f];
const STRINGS = new Set([DCS, SOS, OSC, PM, APC]);
const TERMINATOR = Uint8Array.of(ESC, 0x5c);
const CUT_OFF = Uint8Array.of(CAN);
/** No program sends a longer sequence that might still be a query. */
const MAX_HELD_BYTES = 64 * 1024;

/** A sequence at some position: where it ends and what to do with it. `open`: a string whose end has not arrived. */
interface Found {
  to: number;
  verdict: Verdict;
  open?: boolean;
}

/**
 * Passes on the output of a program without the sequences that would make the viewer's terminal reply. A reply would
 * arrive as typed input: at a shell prompt, as a command. Accepts bytes in pieces of any size.
 */
export class QueryFilter {
  /** An incomplete sequence or character. */
  #held: Uint8Array = new Uint8Array();
  /** What to do with the rest of the current string. */
  #inString: 'pass' | 'drop' | null = null;
  #stringKind = 0;
  #passed: Uint8Array[] = [];

  write(piece: Uint8Array): Uint8Array {
    const bytes = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    this.#held = new Uint8Array();
    this.#passed = [];
    let from = 0;
    while (from < bytes.length) from = this.#inString ? this.#passString(bytes, from) : this.#passText(bytes, from);
    return this.#passed.length === 1 ? this.#passed[0]! : Buffer.concat(this.#passed);
  }

  /** Call last: discards an incomplete sequence, so that it cannot swallow later output. */
  end(): Uint8Array {
    const isOpen = this.#inString === 'pass';
    this.#held = new Uint8Array();
    this.#inString = null;
    return isOpen ? CUT_OFF : new Uint8Array();
  }

  /** Passes text up to the next sequence that has to be checked. */
  #passText(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length) {
      const byte = bytes[at]!;
      if (byte === ENQ) {
        this.#pass(bytes, from, at);
        return at + 1;
      }
      if (byte !== ESC && byte < 0x80) {
        at++;
        continue;
      }
      const character = byte === ESC ? 1 : characterBytes(bytes, at);
      const control = byte === ESC || character === 0 ? 0 : controlAt(bytes, at, character);
      if (byte !== ESC && character > 0 && control === 0) {
        at += character;
        continue;
      }
      const found = character === 0 ? null : sequenceAt(bytes, at, control, character);
      if (found?.verdict === 'pass' && !found.open) {
        at = found.to;
        continue;
      }
      this.#pass(bytes, from, at);
      return this.#settle(bytes, at, found);
    }
    this.#pass(bytes, from, at);
    return at;
  }

  #settle(bytes: Uint8Array, at: number, found: Found | null): number {
    if (found === null) {
      this.#hold(bytes, at);
      return bytes.length;
    }
    const { to, verdict, open } = found;
    if (verdict === 'pass') this.#pass(bytes, at, to);
    else if (verdict !== 'drop') this.#passed.push(Buffer.from(verdict.replaceBy, 'latin1'));
    if (open) {
      this.#inString = verdict === 'drop' ? 'drop' : 'pass';
      this.#stringKind = introducerAt(bytes, at).kind;
    }
    return to;
  }

  /** Processes the rest of a string that is already decided, including its end. */
  #passString(bytes: Uint8Array, from: number): number {
    const end = stringEnd(bytes, from, this.#stringKind);
    const bodyTo = end?.bodyTo ?? unfinishedFrom(bytes, from);
    if (this.#inString === 'pass') {
      this.#pass(bytes, from, bodyTo);
      if (end) this.#passed.push(end.terminator);
    }
    if (end) this.#inString = null;
    else this.#held = Uint8Array.prototype.slice.call(bytes, bodyTo);
    return end?.to ?? bytes.length;
  }

  #hold(bytes: Uint8Array, at: number): void {
    if (bytes.length - at <= MAX_HELD_BYTES) {
      this.#held = Uint8Array.prototype.slice.call(bytes, at);
      return;
    }
    const { kind } = introducerAt(bytes, at);
    if (!STRINGS.has(kind)) return;
    this.#inString = 'drop';
    this.#stringKind = kind;
  }

  /** ENQ is removed everywhere. */
  #pass(bytes: Uint8Array, from: number, to: number): void {
    if (to <= from) return;
    const part = bytes.subarray(from, to);
    this.#passed.push(part.includes(ENQ) ? part.filter((byte) => byte !== ENQ) : part);
  }
}

/** The sequence that begins here; null if it is still incomplete or undecided. */
function sequenceAt(bytes: Uint8Array, at: number, control: number, length: number): Found | null {
  const { kind, bodyFrom } = control > 0 ? { kind: control, bodyFrom: at + length } : introducerAt(bytes, at);
  if (kind < 0) return null;
  if (kind === 0) return escapeAt(bytes, bodyFrom);
  if (kind === CSI) return csiAt(bytes, bodyFrom);
  if (STRINGS.has(kind)) return stringAt(bytes, bodyFrom, kind);
  return { to: bodyFrom, verdict: kind === DECID ? 'drop' : 'pass' };
}

/**
 * The C1 control that begins here, and where its content begins. 0 for an ESC that introduces something else, -1 if the
 * next letter is missing. Control characters in between are executed, and do not end it.
 */
function introducerAt(bytes: Uint8Array, at: number): { kind: number; bodyFrom: number } {
  if (bytes[at] !== ESC) {
    const length = characterBytes(bytes, at);
    return { kind: controlAt(bytes, at, length), bodyFrom: at + length };
  }
  let next = at + 1;
  while (next < bytes.length && isCarriedOut(bytes[next]!)) next++;
  const letter = bytes[next];
  if (letter === undefined) return { kind: -1, bodyFrom: next };
  return letter >= 0x40 && letter <= 0x5f ? { kind: letter + 0x40, bodyFrom: next + 1 } : { kind: 0, bodyFrom: next };
}

/** Whether a byte within a sequence is executed instead of being part of it. */
function isCarriedOut(byte: number): boolean {
  return (byte < 0x20 && byte !== ESC && byte !== CAN && byte !== SUB) || byte === 0x7f;
}

/** The rest of a sequence of intermediate bytes and one final byte. Any other byte ends it early. */
function escapeAt(bytes: Uint8Array, from: number): Found | null {
  for (let to = from; to < bytes.length; to++) {
    const byte = bytes[to]!;
    if (isCarriedOut(byte)) continue;
    if (byte >= 0x30 && byte < 0x80) return { to: to + 1, verdict: 'pass' };
    if (byte < 0x20 || byte >= 0x80) return cutOff(bytes, from, to);
  }
  return null;
}

function csiAt(bytes: Uint8Array, from: number): Found | null {
  for (let to = from; to < bytes.length; to++) {
    const byte = bytes[to]!;
    if (byte === ESC || byte === CAN || byte === SUB || byte >= 0x80) return cutOff(bytes, from, to);
    if (byte < 0x40 || byte === 0x7f) continue;
    const isQuick = !ASKING_FINALS.includes(byte) || (byte === COLOUR && bytes[from] !== QUESTION_MARK);
    return { to: to + 1, verdict: isQuick ? 'pass' : judgeCsi(textOf(bytes, from, to + 1)) };
  }
  return null;
}

/**
 * A sequence that is cut off by another one, CAN or SUB: a terminal executes only the control characters in it. The
 * rest is discarded, because it could form a query with what follows, once a query in between has been dropped.
 */
function cutOff(bytes: Uint8Array, from: number, at: number): Found {
  const controls = bytes.subarray(from, at).filter((byte) => byte < 0x20 && byte !== ENQ);
  const to = bytes[at] === CAN || bytes[at] === SUB ? at + 1 : at;
  return { to, verdict: controls.length === 0 ? 'drop' : { replaceBy: Buffer.from(controls).toString('latin1') } };
}

function stringAt(bytes: Uint8Array, from: number, kind: number): Found | null {
  const end = stringEnd(bytes, from, kind);
  const bodyTo = end?.bodyTo ?? unfinishedFrom(bytes, from);
  const isLong = bodyTo - from > MAX_HELD_BYTES;
  const body = textOf(bytes, from, isLong ? from + MAX_HELD_BYTES : bodyTo);
  const isWhole = end !== null && end.terminator !== CUT_OFF && !isLong;
  const verdict = judgeString(kind, body, isWhole) ?? (isLong || end ? 'drop' : null);
  if (verdict === null) return null;
  if (typeof verdict !== 'string') return { to: headerEnd(bytes, from, bodyTo), verdict, open: true };
  if (end && (verdict === 'drop' || end.asItStands)) return { to: end.to, verdict };
  return { to: bodyTo, verdict, open: true };
}

/** Where the settings of a picture end and its data begins. */
function headerEnd(bytes: Uint8Array, from: number, to: number): number {
  const semicolon = bytes.subarray(from, to).indexOf(0x3b);
  return semicolon < 0 ? to : from + semicolon;
}

function judgeString(kind: number, body: string, whole: boolean): Verdict | null {
  if (kind === OSC) return judgeOsc(body, whole);
  if (kind === DCS) return judgeDcs(body, whole);
  if (kind === APC) return judgeApc(body, whole);
  return 'pass';
}

/** The end of a string: where its body and its terminator end, and a terminator that works on every terminal. */
interface StringEnd {
  bodyTo: number;
  to: number;
  terminator: Uint8Array;
  /** The terminator can stay unchanged. */
  asItStands: boolean;
}

/**
 * A string also ends where another sequence begins before the terminator, and some terminals do not accept C1
 * terminators.
 */
function stringEnd(bytes: Uint8Array, from: number, kind: number): StringEnd | null {
  const ended = (at: number, length: number, terminator: Uint8Array, asItStands = false) => {
    return { bodyTo: at, to: at + length, terminator, asItStands };
  };
  for (let at = from; at < bytes.length; ) {
    const byte = bytes[at]!;
    if (byte === ESC) {
      if (at + 1 === bytes.length) return null;
      return bytes[at + 1] === 0x5c ? ended(at, 2, TERMINATOR, true) : ended(at, 0, CUT_OFF);
    }
    if (byte === BEL && kind === OSC) return ended(at, 1, bytes.slice(at, at + 1), true);
    if (byte === CAN || byte === SUB) return ended(at, 1, CUT_OFF);
    if (byte < 0x80) {
      at++;
      continue;
    }
    const length = characterBytes(bytes, at);
    if (length === 0) return null;
    const control = controlAt(bytes, at, length);
    if (control > 0) return control === ST ? ended(at, length, TERMINATOR) : ended(at, 0, CUT_OFF);
    at += length;
  }
  return null;
}

/** Where an incomplete ESC or character begins; the end of the piece if there is none. */
function unfinishedFrom(bytes: Uint8Array, from: number): number {
  for (let at = Math.max(from, bytes.length - 3); at < bytes.length; at++) {
    const isCut = bytes[at] === ESC ? at === bytes.length - 1 : bytes[at]! >= 0xc2 && characterBytes(bytes, at) === 0;
    if (isCut) return at;
  }
  return bytes.length;
}

/** Length of the character at `at` in bytes; 1 for an invalid byte; 0 if it is incomplete. */
function characterBytes(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  const wanted = lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (let length = 1; length < wanted; length++) {
    const next = bytes[at + length];
    if (next === undefined) return 0;
    if (next < 0x80 || next > 0xbf) return length;
  }
  return wanted;
}

/** The C1 control at this position, as one byte or as a character; 0 for anything else. */
function controlAt(bytes: Uint8Array, at: number, length: number): number {
  const code = length === 1 ? bytes[at]! : length === 2 && bytes[at] === 0xc2 ? bytes[at + 1]! : 0;
  return code >= 0x80 && code <= 0x9f ? code : 0;
}

/** Without control characters, which a terminal executes in between. */
function textOf(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.subarray(from, to))
    .toString('latin1')
    .replace(/[\0-\u001f\u007f]/g, '');
}
