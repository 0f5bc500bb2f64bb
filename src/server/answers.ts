import * as z from 'zod';
import { errorAnswerSchema } from '../protocol/index.ts';

/** How every route refuses. */
const refusal = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorAnswerSchema } },
});
const refusals = { '4xx': refusal('The request cannot be met.'), '5xx': refusal('The server is in trouble.') };

/** What a route answers, as the document tells it. */
export function answers<Status extends number, Schema extends z.ZodType>(status: Status, schema: Schema) {
  return { [status]: schema, ...refusals } as Record<Status, Schema> & typeof refusals;
}

/** JSON that is sent as the bytes it is kept as. */
export function answersAsKept(schema: z.ZodType<unknown>) {
  return answers(200, schema);
}

/** An answer that is not JSON. */
export function answersWith(contentType: string, description: string) {
  const schema: z.ZodType<unknown> = z.string();
  return { 200: { description, content: { [contentType]: { schema } } }, ...refusals };
}

/** The body of an answer that needs none. */
export const nothing = z.undefined();
