import pico from 'picocolors';

/** Colour for people: only when the stream people read is a terminal. */
export const paint = pico.createColors(Boolean(process.stderr.isTTY && process.stdout.isTTY) && !process.env.NO_COLOR);
