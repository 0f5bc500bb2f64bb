import { skillFile } from '../../skills/skill-folder.ts';

const OUTPUT = {
  type: 'object',
  properties: { lines: { type: 'integer' } },
  required: ['lines'],
  additionalProperties: false,
};

/** A skill with a contract. Its input says what the test program codex-result.mjs does in each turn. */
export const COUNT_SKILL = {
  'SKILL.md': skillFile('count', { body: '# Count\nCount lines.\n' }),
  'assets/runner.json': JSON.stringify({
    id: 'count',
    version: '2.0.0',
    execution_modes: ['auto', 'interactive'],
    schemas: { output: 'assets/output.json' },
    entrypoint: { result_json_filename: 'result.json' },
    artifacts: [{ pattern: '*.md', role: 'report', mime: 'text/markdown' }],
  }),
  'assets/output.json': JSON.stringify(OUTPUT),
};

export const DONE = '"__SKILL_DONE__": true';
/** Ends the work with a valid result. */
export const GOOD = `\`\`\`json\n{"lines": 3, ${DONE}}\n\`\`\``;
/** Ends it with an invalid one. */
export const BAD = `{"lines": "three", ${DONE}}`;
