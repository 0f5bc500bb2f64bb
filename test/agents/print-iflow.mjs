// Prints output in the format of iFlow 0.5: plain text, and a summary of the run at the end. The engine itself can no
// longer be installed. Argument: the name of a scenario. test/fixtures/iflow contains the output of each.
import fs from 'node:fs';

const out = (text) => fs.writeSync(1, text);
const err = (text) => fs.writeSync(2, text);
const session = (number) => `session-7ac40000-0000-4000-8000-${String(number).padStart(12, '0')}`;

function info(number, rounds, input, output) {
  const summary = {
    'session-id': session(number),
    'conversation-id': `c0a50000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    assistantRounds: rounds,
    executionTimeMs: rounds * 1250,
    tokenUsage: { input, output, total: input + output },
  };
  return `<Execution Info>\n${JSON.stringify(summary, null, 2)}\n</Execution Info>\n`;
}

const scenarios = {
  // The text before and after a tool call is on one line.
  auto() {
    out('First I look at the two lists.Both lists are sorted now:\n\n');
    out('```json\n{"sorted": ["lists/a.txt", "lists/b.txt"], "moved": 3, "__skill_done__": true}\n```\n\n');
    out('**Notes**\n- three entries moved\n- no duplicates (größer als 1 ≠ gleich)\n');
    err(info(1, 3, 4100, 220));
  },
  // The result follows the last word without a space.
  glued() {
    out('The plan:\n1. pick a colour\n2. write it into the palette folder');
    out('{"palette_path":"/srv/run/work/palette.json","shade":{"name":"teal","level":4},"__SKILL_DONE__":true}\n');
    err(info(2, 2, 3050, 96));
  },
  // Lines of the program itself between those of the assistant, and a tool that failed.
  fenced() {
    out('Model tiny-1 does not support thinking mode\n');
    out('Counting the words of the report.\n');
    err('Error executing tool count_words: no such tool here.\n');
    out('Model tiny-1 does not support thinking mode\n');
    out(
      'The report has 42 words.\n\n```json\n{"words": 42, "__SKILL_DONE__": true}\n```\nAsk me for sentences, too.\n',
    );
    err(info(3, 2, 2200, 71));
  },
  interactive() {
    out(
      'Reading the instructions once more:很高兴见到你。\n\n在继续之前，请告诉我：\n- 你喜欢哪种颜色？\n- 蓝色还是红色？\n',
    );
    err(info(4, 1, 1900, 58));
  },
  // The whole message is on stderr, and the summary is missing.
  resumed() {
    err(`ℹ️  Resuming session ${session(4)} (4 messages loaded)\n\n\n`);
    err('Blue it is; I forgot to say that I am done:好的。\n\n{"__SKILL_DONE__": true}\n');
  },
  'info-on-stdout'() {
    out(`The folder is tidy.${info(5, 4, 5000, 310)}Two files were left alone, they are open elsewhere.\n`);
  },
  auth() {
    out('iFlow sign-in: the stored login is too old.\nThe program cannot go on:\n');
    out('Error: SERVER_OAUTH2_REQUIRED: the login of this machine ran out, sign in again\n');
    for (const place of ['renew (file:///opt/iflow/main.js:12:345)', 'async begin (file:///opt/iflow/main.js:67:8)']) {
      out(`    at ${place}\n`);
    }
    out('\n');
    process.exitCode = 1;
  },
  plain() {
    out('Nothing needs to be done here.\nThe build is green');
  },
};

const [name] = process.argv.slice(2);
if (!Object.hasOwn(scenarios, name ?? '')) {
  err(`no such scenario; there are ${Object.keys(scenarios).join(', ')}\n`);
  process.exit(2);
}
scenarios[name]();
