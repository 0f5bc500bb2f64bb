import { expect, test } from 'vitest';
import { agent } from '../../studio/text/sections/agent.ts';
import { diagnostics } from '../../studio/text/sections/diagnostics.ts';
import { ledger } from '../../studio/text/sections/ledger.ts';
import { newRun } from '../../studio/text/sections/new-run.ts';
import { runSkill } from '../../studio/text/sections/run-skill.ts';
import { skills } from '../../studio/text/sections/skills.ts';
import { terminals } from '../../studio/text/sections/terminals.ts';
import { strings } from '../../studio/text/strings.ts';

const texts = Object.entries({ ...strings, agent, diagnostics, ledger, newRun, runSkill, skills, terminals })
  .flatMap(([section, entries]) => textsIn(entries, section))
  // The protocol has the English texts; diagnostic-groups.test.ts compares the codes.
  .filter(({ name }) => !name.startsWith('diagnostics.meanings.'));

test('every text of the page exists in English and in Chinese', () => {
  expect(texts.length).toBeGreaterThan(500);
  expect(texts.filter(({ value }) => !isPair(value)).map(({ name }) => name)).toEqual([]);
});

/** All leaves; a list counts as one leaf. */
function textsIn(entries: object, name: string): { name: string; value: unknown }[] {
  return Object.entries(entries).flatMap(([key, value]) =>
    typeof value === 'object' && !Array.isArray(value)
      ? textsIn(value, `${name}.${key}`)
      : [{ name: `${name}.${key}`, value }],
  );
}

/** Two texts, or two functions with the same number of parameters. */
function isPair(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [english, chinese] = value as unknown[];
  if (typeof english === 'function') return typeof chinese === 'function' && english.length === chinese.length;
  return [english, chinese].every((text) => typeof text === 'string' && text !== '');
}
