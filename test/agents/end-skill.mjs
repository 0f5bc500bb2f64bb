// Plays an agent at the end of its work with a skill, in the output format of an engine. The prompt says which ending, in
// which format, and in whose words: `contract` says that the work is done as the completion contract of skills asks
// for it, `signal` by a done signal that names the skill.
//
//   end-skill.mjs "play <ending> as <codex|claude|gemini> by <contract|signal>"

const DONE = '"__SKILL_DONE__": true';
const signal = (state, result_kind, reason_code) =>
  `AGENT_ENV_DONE ${JSON.stringify({ version: '1', skill: 'review-diff', state, needs_user_input: state === 'awaiting_user_input', reason_code, result_kind })}`;
const completed = (kind) => signal('completed', kind, 'SKILL_COMPLETED');

/** What the agent says, in each of the two ways, and how its process ends. */
const ENDINGS = {
  'object-result': {
    contract: [`{"verdict": "approve", "findings": [], ${DONE}}`],
    signal: [`{"verdict": "approve", "findings": []}\n${completed('json_object')}`],
  },
  'fenced-result': {
    contract: [`The review is complete.\n\n\`\`\`json\n{\n  "verdict": "approve",\n  ${DONE}\n}\n\`\`\``],
    signal: [
      `The review is complete.\n\n\`\`\`json\n{\n  "verdict": "approve"\n}\n\`\`\`\n${completed('json_object')}`,
    ],
  },
  'text-result': {
    contract: [`The change is sound. I have nothing to add.\n\n{${DONE}}`],
    signal: [`The change is sound. I have nothing to add.\n\n${completed('text')}`],
  },
  'array-result': {
    contract: [`[{"line": 7}, {"line": 9}]\n{${DONE}}`],
    signal: [`[{"line": 7}, {"line": 9}]\n${completed('text')}`],
  },
  'file-result': {
    contract: ['I write the result into its file now.', `{${DONE}}`],
    signal: ['I write the result into its file now.', completed('none')],
  },
  'lower-case-marker': {
    contract: ['{"verdict": "approve", "__skill_done__": true}'],
    signal: [`{"verdict": "approve"}\n${completed('json_object')}`],
  },
  'after-the-answer': {
    contract: [`Version 2.0.0 it is.\n\n{"version": "2.0.0", ${DONE}}`],
    signal: [`Version 2.0.0 it is.\n\n{"version": "2.0.0"}\n${completed('json_object')}`],
  },
  question: {
    contract: ['I found 12 changes. Which one is the highlight of this release?'],
    signal: [
      `I found 12 changes. Which one is the highlight of this release?\n${signal('awaiting_user_input', 'none', 'NEEDS_ANSWER')}`,
    ],
  },
  'question-after-work': {
    contract: ['The notes are written, all but the title.', 'Which title do you want?'],
    signal: [
      'The notes are written, all but the title.',
      `Which title do you want?\n${signal('awaiting_user_input', 'text', 'NEEDS_ANSWER')}`,
    ],
  },
  'missing-marker': {
    contract: ['I believe that this is finished.'],
    signal: [`I believe that this is finished.\n${signal('interrupted', 'text', 'NO_RESULT')}`],
  },
  'engine-failure': {
    contract: ['I read the diff first.'],
    signal: [`I read the diff first.\n${signal('interrupted', 'none', 'MODEL_FAILED')}`],
    fails: true,
  },
  killed: {
    contract: ['I read the diff first.'],
    signal: [`I read the diff first.\n${signal('interrupted', 'none', 'STOPPED')}`],
    dies: true,
  },
};

const SESSION = '0197aaaa-0000-7000-8000-000000000009';
const FORMATS = {
  codex: {
    begin: [{ type: 'thread.started', thread_id: SESSION }, { type: 'turn.started' }],
    say: (text, index) => ({ type: 'item.completed', item: { id: `item_${index}`, type: 'agent_message', text } }),
    end: { type: 'turn.completed', usage: { input_tokens: 9, output_tokens: 3 } },
    fail: { type: 'turn.failed', error: { message: 'The model service is overloaded.' } },
  },
  claude: {
    begin: [{ type: 'system', subtype: 'init', session_id: SESSION, model: 'claude-sonnet-4-5', tools: [] }],
    say: (text, index) => ({
      type: 'assistant',
      session_id: SESSION,
      message: { id: `msg_${index}`, type: 'message', role: 'assistant', content: [{ type: 'text', text }] },
    }),
    end: { type: 'result', subtype: 'success', is_error: false, session_id: SESSION, result: '', num_turns: 1 },
    fail: { type: 'result', subtype: 'error_during_execution', is_error: true, session_id: SESSION, num_turns: 1 },
  },
  gemini: {
    begin: [{ type: 'init', session_id: SESSION, model: 'gemini-2.5-flash' }],
    say: (content) => ({ type: 'message', role: 'assistant', content, delta: true }),
    end: { type: 'result', status: 'success', stats: { total_tokens: 12, input_tokens: 9, output_tokens: 3 } },
    fail: { type: 'result', status: 'error', error: { type: 'ApiError', message: 'The model service is overloaded.' } },
  },
};

const [, ending, engine, words] = /play (\S+) as (\S+) by (\S+)/.exec(process.argv.join(' '));
const { begin, say, end, fail } = FORMATS[engine];
const { fails = false, dies = false, ...said } = ENDINGS[ending];
for (const event of [...begin, ...said[words].map(say), ...(dies ? [] : [fails ? fail : end])]) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
if (fails) process.exitCode = 1;
if (dies) process.kill(process.pid, 'SIGTERM');
