import pico from 'picocolors';
import { showsColors } from './terminal-abilities.ts';

/** Colours, only when both output streams are terminals. */
export const paint = pico.createColors(showsColors(process.stderr) && showsColors(process.stdout));
