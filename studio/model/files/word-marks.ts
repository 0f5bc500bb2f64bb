import { diffWordsWithSpace } from 'diff';

export interface Marked {
  text: string;
  changed: boolean;
}

/** Longer lines are not looked into. */
const MOST_CHARACTERS = 2000;
/** Where less than this is the same, marks would be noise. */
const LEAST_SAME = 0.35;

/** The parts of a line that the line in its place does not have. */
export function wordMarks(line: string, other: string | null): Marked[] {
  const whole = [{ text: line, changed: false }];
  if (other === null || line.length > MOST_CHARACTERS || other.length > MOST_CHARACTERS) return whole;
  const parts = diffWordsWithSpace(other, line).filter(({ removed }) => !removed);
  const same = parts.reduce((sum, { added, value }) => sum + (added ? 0 : value.trim().length), 0);
  if (same < LEAST_SAME * line.trim().length) return whole;
  return parts.map(({ value, added }) => ({ text: value, changed: added }));
}
