import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { updatingFixtures } from '../../support/live-fixture.ts';
import { missingLines, SCREEN_CASES, screenFixture, textOf } from '../../support/recorded-screen.ts';

// Recorded by test/acceptance/engines/screens.engines.ts, in a terminal of tmux whose screens were kept as well.
describe.each(SCREEN_CASES)('the text of a recorded session of %s', (name) => {
  const { folder, captures, text } = screenFixture(name);

  test('is what the screen showed', () => {
    if (updatingFixtures) fs.writeFileSync(path.join(folder.path, 'text.txt'), textOf(folder));
    else expect(textOf(folder)).toBe(text);
  });

  test('has every line that tmux showed', () => {
    expect(captures.length).toBeGreaterThan(3);
    expect(missingLines(text, captures)).toEqual([]);
  });
});
