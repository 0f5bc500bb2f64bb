import { test } from 'vitest';
import { SCENARIOS } from '../../src/demo/index.ts';
import { expectGenerated, markdownTable } from './page.ts';

test('the table of scenarios matches SCENARIOS', () => {
  const rows = SCENARIOS.map(({ name, meaning }) => [`\`${name}\``, meaning]);
  expectGenerated('docs/demo.md', 'scenarios', markdownTable(['scenario', 'what the model does'], rows));
});
