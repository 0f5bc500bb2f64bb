import * as z from 'zod';
import { errorAnswerSchema } from '../protocol/index.ts';

/** The error response of every route. */
const refusal = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorAnswerSchema } },
});
const refusals = { '4xx': refusal('The request cannot be met.'), '5xx': refusal('The server is in trouble.') };

/** The response of a route, as the OpenAPI document describes it. */
export function answers<Status extends number, Schema extends z.ZodType>(status: Status, schema: Schema) {
  return { [status]: schema, ...refusals } as Record<Status, Schema> & typeof refusals;
}

/** JSON that is sent as its stored bytes. */
export function answersAsKept(schema: z.ZodType<unknown>) {
  return answers(200, schema);
}

/** A response that is not JSON. */
export function answersWith(contentType: string, description: string) {
  const schema: z.ZodType<unknown> = z.string();
  return { 200: { description, content: { [contentType]: { schema } } }, ...refusals };
}

/** The body of a response without content. */
export const nothing = z.undefined();
