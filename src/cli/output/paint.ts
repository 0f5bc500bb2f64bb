import pico from 'picocolors';
import { showsColors } from './terminal-abilities.ts';

/** Colour for people: only when the stream people read is a terminal. */
export const paint = pico.createColors(showsColors(process.stderr) && showsColors(process.stdout));
