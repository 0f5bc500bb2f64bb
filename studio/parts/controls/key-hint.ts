import { type Action, keyLabel, keysOf } from '../../keyboard.ts';

/** A tooltip with its key from the table of keys: `Maximize (m)`. */
export function withKey(words: string, action: Action): string {
  return `${words} (${keyLabel(keysOf(action)[0]!)})`;
}
