import { withEngines } from '../../support/real-engine.ts';
import { testExampleSkills } from '../../support/run-example-skills.ts';
import { VARIANTS } from '../../support/scenarios.ts';

for (const { name, engine, arguments: words } of VARIANTS.filter(
  ({ engine }) => engine === 'codex' || engine === 'pi',
)) {
  testExampleSkills({ title: name, engine, words, options: () => withEngines() });
}
