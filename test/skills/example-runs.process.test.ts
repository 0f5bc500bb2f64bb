import { fakeEngine } from '../support/fake-engine.ts';
import { testExampleSkills } from '../support/run-example-skills.ts';

const options = () => ({ env: fakeEngine('codex', 'codex-agent.mjs') });

testExampleSkills({ title: 'a small agent', engine: 'codex', options });
