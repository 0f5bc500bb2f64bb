import { withEngines } from '../../support/real-engine.ts';
import { testExampleSkills } from '../../support/run-example-skills.ts';
import { VARIANTS } from '../../support/scenarios.ts';

// One output format per engine: skills.engines.ts runs a skill in every format.
for (const { name, engine, arguments: words } of VARIANTS.filter(({ name }) => name !== 'gemini json')) {
  testExampleSkills({ title: name, engine, words, briefly: true, options: () => withEngines() });
}
