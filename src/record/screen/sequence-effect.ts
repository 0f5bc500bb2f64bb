import type { Sequence } from './output-filter.ts';

/**
 * What a sequence does to the text on the screen. `ahead` changes only what follows the cursor or was set before, so it
 * does nothing to output that is only appended.
 */
export type Effect = 'none' | 'ahead' | 'screen' | 'clear' | 'reset' | 'enter-alternate' | 'leave-alternate';

const ALTERNATE_MODES = new Set(['47', '1047', '1049']);
/** Origin, wraparound, reverse wraparound, saved cursor. */
const TEXT_MODES = new Set(['6', '7', '45', '1048']);
/** Insert, line feed as new line. */
const ANSI_TEXT_MODES = new Set(['4', '20']);
/** Cursor movement; insertion, deletion, erasure, scrolling, repetition; tabs; margins; saved cursor. */
const SCREEN_FINALS = new Set('@ABCDEFGHILMPSTXZ`abdefgrsu');
/** With intermediate characters: soft reset, columns, shifts. */
const SCREEN_SPECIALS = new Set(['!p', "'}", "'~", ' @', ' A']);
/** Saved cursor, index, next line, tab stop, reverse index. */
const SCREEN_ESCAPES = new Set('78DEHM');

export function effectOf(sequence: Sequence): Effect {
  return sequence.kind === 'csi' ? effectOfCsi(sequence) : effectOfEscape(sequence);
}

function effectOfEscape({ body, final }: Sequence): Effect {
  if (body === '') return final === 'c' ? 'reset' : SCREEN_ESCAPES.has(final) ? 'screen' : 'none';
  if ('()*+'.includes(body)) return final === 'B' ? 'ahead' : 'screen';
  return body === '#' && final === '8' ? 'screen' : 'none';
}

function effectOfCsi({ body, final }: Sequence): Effect {
  if (final === 'm') return 'none'; // By far the most frequent.
  const [, mark, parameters, intermediates] = /^([<=>?]?)([^ -/]*)([ -/]*)$/.exec(body) ?? [];
  if (parameters === undefined) return 'none';
  if (intermediates !== '') return SCREEN_SPECIALS.has(`${intermediates}${final}`) ? 'screen' : 'none';
  if (mark !== '' && mark !== '?') return 'none';
  if (final === 'h' || final === 'l') return effectOfMode(mark === '?', parameters.split(';'), final);
  if (final === 'J') return effectOfErase(parameters);
  if (final === 'K') return Number(parameters) === 0 ? 'ahead' : 'screen';
  return mark === '' && SCREEN_FINALS.has(final) ? 'screen' : 'none';
}

function effectOfMode(isPrivate: boolean, modes: readonly string[], final: 'h' | 'l'): Effect {
  if (!isPrivate) return modes.some((mode) => ANSI_TEXT_MODES.has(mode)) ? 'screen' : 'none';
  if (modes.some((mode) => ALTERNATE_MODES.has(mode))) return final === 'h' ? 'enter-alternate' : 'leave-alternate';
  return modes.some((mode) => TEXT_MODES.has(mode)) ? 'screen' : 'none';
}

function effectOfErase(parameters: string): Effect {
  switch (Number(parameters)) {
    case 0:
      return 'ahead';
    case 1:
      return 'screen';
    case 2:
      return 'clear';
    default:
      return 'none'; // 3 erases the scrollback, which is part of the text.
  }
}

export interface Size {
  cols: number;
  rows: number;
}

/** Insert, delete, erase and repeat characters; insert, delete and scroll lines; move by tabs. */
const COUNTED = new Set('LMSTPX@IZb');

/** A program may ask for two billion lines, which emulators insert one by one. More than a screen makes no difference. */
export function boundCount(sequence: Sequence, { cols, rows }: Size): Sequence {
  if (sequence.kind !== 'csi' || !COUNTED.has(sequence.final)) return sequence;
  const most = sequence.final === 'b' ? cols : Math.max(cols, rows);
  return Number.parseInt(sequence.body, 10) > most ? { ...sequence, body: String(most) } : sequence;
}

/** How many cells an emulator touches for it, at most. */
export function costOf({ body, final }: Sequence, effect: Effect, { cols, rows }: Size): number {
  if (effect === 'clear' || effect === 'reset' || body === '#') return cols * rows;
  if (effect === 'enter-alternate' || effect === 'leave-alternate') return 2 * cols * rows;
  if ('LMST'.includes(final)) return Math.max(1, Number.parseInt(body, 10) || 1) * (cols + rows);
  if (final === 'J' || final === '}' || final === '~') return cols * rows;
  return '@PXKb'.includes(final) ? cols : 1;
}
