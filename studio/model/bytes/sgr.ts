/** The eight colours of a terminal; other colours become the nearest one, so that every text is readable. */
export const HUES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
export type Hue = (typeof HUES)[number];

/** How a terminal would draw text. Hidden text is shown: nothing in a record may be invisible. */
export interface TextStyle {
  colour: Hue | null;
  background: Hue | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
  strike: boolean;
}

export const PLAIN: TextStyle = {
  colour: null,
  background: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
  strike: false,
};

const ON: Record<number, Partial<TextStyle>> = {
  0: PLAIN,
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
  39: { colour: null },
  49: { background: null },
};

/** The parameters of `␛[…m`; null for another control sequence. */
export function sgrParameters(shown: string): number[] | null {
  const given = /^␛\[([\d;:]*)m$/.exec(shown)?.[1];
  return given === undefined ? null : given.split(/[;:]/).map(Number);
}

export function applySgr(style: TextStyle, parameters: readonly number[]): TextStyle {
  let next = style;
  for (let at = 0; at < parameters.length; at++) {
    const code = parameters[at]!;
    if (code === 38 || code === 48) {
      const { hue, used } = wideColour(parameters.slice(at + 1));
      next = { ...next, [code === 38 ? 'colour' : 'background']: hue };
      at += used;
    } else next = { ...next, ...(ON[code] ?? hueOf(code)) };
  }
  return next;
}

function hueOf(code: number): Partial<TextStyle> {
  const hue = HUES[code % 10] ?? null;
  const tens = Math.floor(code / 10);
  if (tens === 3 || tens === 9) return { colour: hue };
  return tens === 4 || tens === 10 ? { background: hue } : {};
}

/** `5;n` of 256 colours, or `2;r;g;b`. */
function wideColour([form, ...values]: readonly number[]): { hue: Hue | null; used: number } {
  if (form === 2) return { hue: nearest(values[0] ?? 0, values[1] ?? 0, values[2] ?? 0), used: 4 };
  if (form !== 5) return { hue: null, used: 1 };
  const index = values[0] ?? 0;
  if (index < 16) return { hue: HUES[index % 8]!, used: 2 };
  if (index > 231) return { hue: index < 244 ? 'black' : 'white', used: 2 };
  const cube = index - 16;
  const level = (value: number) => (value % 6) * 51;
  return { hue: nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6)), level(cube)), used: 2 };
}

function nearest(red: number, green: number, blue: number): Hue {
  const middle = Math.max(64, (Math.max(red, green, blue) + Math.min(red, green, blue)) / 2);
  const bits = (red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0);
  const isGrey = Math.max(red, green, blue) - Math.min(red, green, blue) < 32;
  return isGrey ? (red > 127 ? 'white' : 'black') : HUES[bits]!;
}
