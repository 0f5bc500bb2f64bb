import { isDeepStrictEqual } from 'node:util';
import { answered, BEFORE_COMMAND, DONE, FILE, PLAIN, QUESTION } from '../../src/demo/wording.ts';
import type { FcmpMessage } from '../../src/protocol/index.ts';

export const PROMPT = 'PROMPT: please do "the" -scripted task 42.';
export const REPLY = 'ANSWER: blue';

/** What is tried with each version; `resume` continues the session of `ask`. */
export const TRIALS = ['text', 'tool', 'e401', 'ask', 'resume'] as const;
export type Trial = (typeof TRIALS)[number];

/** What tacho made of a run. */
export interface Observed {
  status: string;
  state: string;
  reason: string;
  session: string | null;
  question: string | null;
  /** Tokens of all attempts. */
  tokens: number | null;
  /** The prompts that the model server got for the task, side requests left out. */
  prompts: string[];
  /** Tokens that the model server billed: for the task, and with side requests such as one for a title. */
  billed: { task: number; all: number };
  /** The part of the output that became events. */
  coverage: number;
  conversation: readonly FcmpMessage[];
}

interface Expected {
  status: string;
  state: string;
  reason: string;
  says: readonly string[];
}

const EXPECTED: Readonly<Record<Trial, Expected>> = {
  text: { status: 'succeeded', state: 'completed', reason: 'TERMINAL_SIGNAL', says: [PLAIN] },
  tool: { status: 'succeeded', state: 'completed', reason: 'DONE_MARKER', says: [BEFORE_COMMAND, DONE] },
  e401: { status: 'failed', state: 'interrupted', reason: 'ENGINE_AUTH_REQUIRED', says: [] },
  ask: { status: 'waiting_user', state: 'awaiting_user_input', reason: 'WAITING_FOR_USER', says: [QUESTION] },
  resume: { status: 'succeeded', state: 'completed', reason: 'DONE_MARKER', says: [QUESTION, answered(REPLY)] },
};

/** Everything that is wrong, in words; `asked` is what was observed before the reply. */
export function judge(trial: Trial, seen: Observed, asked: Observed | null = null): string[] {
  const expected = EXPECTED[trial];
  const wrong: string[] = [];
  if (seen.status !== expected.status || seen.state !== expected.state || seen.reason !== expected.reason) {
    wrong.push(`${seen.status}, ${seen.state}, ${seen.reason} instead of ${expected.reason}`);
  }
  if (seen.coverage !== 1) wrong.push(`${Math.round(seen.coverage * 100)} % of the output became events`);
  if (trial !== 'e401') wrong.push(...judgeWork(trial, seen, expected));
  else if (!seen.conversation.some(({ type }) => type === 'conversation.failed')) wrong.push('no failure is told');
  if (trial === 'resume' && seen.session !== asked?.session) wrong.push('another session');
  return wrong;
}

function judgeWork(trial: Trial, seen: Observed, { says }: Expected): string[] {
  const wrong: string[] = [];
  const said = textsOf(seen, 'user.message');
  const wanted = trial === 'resume' ? [PROMPT, REPLY] : [PROMPT];
  if (!seen.session) wrong.push('no session');
  if (!isDeepStrictEqual(said, wanted)) wrong.push(`the user said ${JSON.stringify(said)}`);
  if (!seen.prompts.some((prompt) => prompt.trim() === wanted.at(-1))) {
    wrong.push(`the model was asked ${JSON.stringify([...new Set(seen.prompts)])}`);
  }
  const answers = textsOf(seen, 'assistant.message.final');
  if (!isDeepStrictEqual(answers, says)) wrong.push(`the assistant said ${JSON.stringify(answers)}`);
  if (seen.tokens !== seen.billed.task && seen.tokens !== seen.billed.all) {
    wrong.push(`${seen.tokens} tokens instead of ${seen.billed.task}`);
  }
  if (trial === 'ask' && seen.question !== QUESTION) wrong.push(`the question is ${JSON.stringify(seen.question)}`);
  if (trial === 'tool') wrong.push(...judgeTool(seen));
  return wrong;
}

function judgeTool({ conversation }: Observed): string[] {
  const states = conversation.flatMap(({ type, data }) => (type === 'assistant.tool_call' ? [data.state] : []));
  const files = conversation.flatMap(({ type, data }) => (type === 'artifact.changed' ? [data.path] : []));
  return [
    ...(states.filter((state) => state === 'completed').length === 1 ? [] : [`calls: ${states.join(', ') || 'none'}`]),
    ...(files.includes(FILE.path) ? [] : ['the file of the tool is missing']),
  ];
}

/** pi gets each message with a space before it, which the model server repeats. */
function textsOf({ conversation }: Observed, wanted: 'user.message' | 'assistant.message.final'): string[] {
  return conversation.flatMap(({ type, data }) =>
    type === wanted ? [(data as { text: string }).text.replaceAll('  ', ' ').trim()] : [],
  );
}
