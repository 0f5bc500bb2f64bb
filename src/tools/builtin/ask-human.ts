import { tool } from '../define-tool.ts';
import { ToolFailure } from '../tool-failure.ts';

export const askHuman = tool<{ question: string }>({
  name: 'ask_human',
  description: 'Ask the user one question and wait for the answer. Only for what you cannot find out by yourself.',
  input: {
    type: 'object',
    properties: { question: { type: 'string', minLength: 1, maxLength: 4000 } },
    required: ['question'],
    additionalProperties: false,
  },
  hasEffects: false,
  questions: ({ question }) => [{ id: 'answer', text: question, choices: [], allow_other: true }],
  execute: noOneToAsk,
});

/** The loop asks; a program that calls a tool by itself has no one to ask. */
export function noOneToAsk(): never {
  throw new ToolFailure('unavailable', 'questions need a run that can ask a person');
}
