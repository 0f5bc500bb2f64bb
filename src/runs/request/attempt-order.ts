import * as z from 'zod';

/** What belongs to one attempt of a run and not to the request, which is the same for all of them. */
export const attemptOrderSchema = z.strictObject({
  run: z.string().nullable().describe('An existing run, to which this adds an attempt; null makes a new run.'),
  session: z.string().nullable().describe('The engine session to continue; null starts a new one.'),
  text: z.string().nullable().describe('What is said to the engine; null: the prompt of the request.'),
  interaction_id: z.string().nullable().describe('The question that the text answers.'),
  announced: z.boolean().describe('The events already say that the attempt is queued, and with which text.'),
  interactive: z.boolean().describe('A person types: input is echoed.'),
  exclusive: z.boolean().describe('The process records nothing else, so every orphan it adopts belongs to this run.'),
});
export type AttemptOrder = z.infer<typeof attemptOrderSchema>;

/** The first attempt of a new run, recorded by a process of its own. */
export const FIRST_ATTEMPT: AttemptOrder = {
  run: null,
  session: null,
  text: null,
  interaction_id: null,
  announced: false,
  interactive: false,
  exclusive: true,
};
