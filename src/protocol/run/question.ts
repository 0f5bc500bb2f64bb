import * as z from 'zod';
import { askedQuestionSchema } from '../agent/decision.ts';

export const questionKindSchema = z.enum(['free_text', 'single_choice', 'multi_choice', 'confirm', 'form']);
export type QuestionKind = z.infer<typeof questionKindSchema>;

/** A run of our own agent, whose folder has the requests and questions it waits with. */
export const agentRefSchema = z.strictObject({
  workspace: z.string().describe('The folder that the agent works in.'),
  run_id: z.string().describe('Of the agent, not of tacho.'),
});
export type AgentRef = z.infer<typeof agentRefSchema>;

const questionsSchema = z
  .array(askedQuestionSchema)
  .min(1)
  .describe('The single questions, with their choices; the answer to each goes by its id.');
const agentQuestionSchema = agentRefSchema
  .extend({ question_id: z.string() })
  .describe('Where the answer goes, of a question of our own agent.');

/** The parts that a question to a person may have besides its text. */
export const questionParts = { questions: questionsSchema.optional(), agent: agentQuestionSchema.optional() };

/** A question of the program that the run waits to have answered. */
export const questionSchema = z.strictObject({
  interaction_id: z.string(),
  prompt: z.string(),
  kind: questionKindSchema.optional(),
  ...questionParts,
});
export type RunQuestion = z.infer<typeof questionSchema>;

/** The kind of a question that consists of these. */
export function kindOfQuestions(questions: readonly { choices: readonly unknown[] }[]): QuestionKind {
  if (questions.length > 1) return 'form';
  return questions[0] && questions[0].choices.length > 0 ? 'single_choice' : 'free_text';
}
