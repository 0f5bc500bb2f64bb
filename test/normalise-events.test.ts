import { expect, test } from 'vitest';
import type { RaspEvent } from '../src/protocol/index.ts';
import { normaliseEvents } from './support/normalise-events.ts';

/** The standard error of an attempt, in these pieces. */
const printed = (pieces: readonly string[]) =>
  normaliseEvents(
    pieces.map(
      (text) =>
        ({
          event: { category: 'raw', type: 'raw.stderr' },
          data: { text },
          source: { stream: 'stderr' },
          correlation: {},
          attempt_number: 1,
        }) as unknown as RaspEvent,
    ),
    [],
  ).stderr;

test.each([
  ['a line that is printed twice', ['same\n', 'same\n', 'other\n'], ['same\nsame\n', 'other\n']],
  ['a line that comes by chance', ['[STARTUP] took', ' long\n', 'other\n'], ['other\n']],
])('how output was read makes no difference: %s', (_, pieces, otherwise) => {
  expect(printed(pieces)).toEqual(printed(otherwise));
  expect(printed([pieces.join('')])).toEqual(printed(otherwise));
});
