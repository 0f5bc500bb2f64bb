import { diffWordsWithSpace } from 'diff';

export interface Marked {
  text: string;
  changed: boolean;
}

/** Longer lines are not compared. */
const MAX_CHARACTERS = 2000;
/** If less than this share is the same, marks would be noise. */
const MIN_SAME = 0.35;

/** The parts of a line that the other line does not have. */
export function wordMarks(line: string, other: string | null): Marked[] {
  const whole = [{ text: line, changed: false }];
  if (other === null || line.length > MAX_CHARACTERS || other.length > MAX_CHARACTERS) return whole;
  const parts = diffWordsWithSpace(other, line).filter(({ removed }) => !removed);
  const same = parts.reduce((sum, { added, value }) => sum + (added ? 0 : value.trim().length), 0);
  if (same < MIN_SAME * line.trim().length) return whole;
  return parts.map(({ value, added }) => ({ text: value, changed: added }));
}
