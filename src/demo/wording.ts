/** All texts of the demo model. They never change, so that recorded runs can be compared. */

const done = (marker: string) => `\`\`\`json\n{"${marker}": true, "result": "ok"}\n\`\`\``;

export const REASONING = 'The script of this scenario says what comes next.';
export const PLAIN = 'This is the demo model. It follows a script and answers with this one paragraph.';
export const DONE = `The task is complete.\n\n${done('__SKILL_DONE__')}`;
export const DONE_IN_LOWER_CASE = `The task is complete.\n\n${done('__skill_done__')}`;
export const QUESTION = 'Which colour do you want, red or blue? I need your answer to go on.';
export const BEFORE_COMMAND = 'I run one command first.';
export const BEFORE_WRITE = 'I write one file first.';
export const WITHOUT_MARKER = 'The command printed its line. This reply itself announces nothing.';
export const BEFORE_SKILL = 'I read the skill first.';
export const WITHOUT_SKILL = 'There is no skill to follow.';
export const SKILL_RESULT = '```json\n{"summary": "one finding", "__SKILL_DONE__": true}\n```';
export const WRITTEN = 'the report is written';
export const TITLE = 'Demo conversation';

export const FILE = { path: 'artifacts/demo.txt', content: 'written by the demo model\n' };
export const COMMAND = `mkdir -p artifacts && echo 'written by the demo model' > ${FILE.path} && cat ${FILE.path}`;
export const COMMAND_PRINTING_MARKER = `echo '{"__SKILL_DONE__": true, "result": "printed by a tool"}'`;

export function reportCommand(folder: string): string {
  return `mkdir -p '${folder}/report' && echo 'one finding' > '${folder}/report/findings.txt' && echo ${WRITTEN}`;
}

export function answered(answer: string): string {
  return `Your answer was: ${answer}\n\n${DONE}`;
}

export function stepCommand(step: number, steps: number): string {
  return `echo step ${step} of ${steps}`;
}

export function beforeStep(step: number, steps: number): string {
  return `Step ${step} of ${steps}.`;
}

export function noTool(declared: readonly string[]): string {
  return `No tool that runs a command is declared. Declared: ${declared.join(', ') || 'none'}.`;
}

export function countTo(last: number): string {
  return Array.from({ length: last }, (_, index) => `Now counting: ${index + 1} of ${last}.`).join('\n');
}

const WORDS = ['amber', 'basin', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'haven', 'inlet', 'jetty', 'knoll'];

/** Numbered lines with varying words, so that agents do not detect a model that loops. */
export function longText(length: number): string {
  const lines: string[] = [];
  let written = 0;
  for (let state = 1, number = 1; written < length; number++) {
    const words = Array.from({ length: 12 }, () => {
      state = (state * 48271) % 2147483647;
      return WORDS[state % WORDS.length];
    });
    const line = `${number}. ${words.join(' ')}`;
    lines.push(line);
    written += line.length + 1;
  }
  return lines.join('\n');
}
