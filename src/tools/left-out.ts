/** Stands in an output where a part of it was left out. */
export function leftOutNote(count: number, unit: 'characters' | 'bytes'): string {
  return `\n[… ${count} ${unit} left out …]\n`;
}

/** Finds these notes. */
export const LEFT_OUT = /\n\[… \d+ (?:characters|bytes) left out …\]\n/;
