import { tool } from '../define-tool.ts';
import { noOneToAsk } from './ask-human.ts';

interface InputRequest {
  questions: {
    id: string;
    question: string;
    choices: { value: string; description?: string }[];
    allow_other?: boolean;
  }[];
}

export const requestUserInput = tool<InputRequest>({
  name: 'request_user_input',
  description: 'Ask the user questions with choices and wait for the answers.',
  input: {
    type: 'object',
    properties: {
      questions: {
        type: 'array',
        minItems: 1,
        maxItems: 10,
        items: {
          type: 'object',
          properties: {
            id: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' },
            question: { type: 'string', minLength: 1, maxLength: 4000 },
            choices: {
              type: 'array',
              minItems: 2,
              maxItems: 20,
              items: {
                type: 'object',
                properties: {
                  value: { type: 'string', minLength: 1, maxLength: 200 },
                  description: { type: 'string' },
                },
                required: ['value'],
                additionalProperties: false,
              },
            },
            allow_other: { type: 'boolean', description: 'Whether any text is an answer as well (default: false)' },
          },
          required: ['id', 'question', 'choices'],
          additionalProperties: false,
        },
      },
    },
    required: ['questions'],
    additionalProperties: false,
  },
  hasEffects: false,
  parse: (value) => {
    const input = value as InputRequest;
    const ids = input.questions.map(({ id }) => id);
    const second = ids.findIndex((id, index) => ids.indexOf(id) < index);
    if (second < 0) return { value: input };
    return { issues: [{ path: ['questions', second, 'id'], message: `is used twice: ${ids[second]}` }] };
  },
  questions: ({ questions }) =>
    questions.map(({ id, question, choices, allow_other = false }) => ({
      id,
      text: question,
      choices: choices.map(({ value, description = null }) => ({ value, description })),
      allow_other,
    })),
  execute: noOneToAsk,
});
