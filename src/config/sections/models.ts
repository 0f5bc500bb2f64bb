import * as z from 'zod';
import { named, number, text } from '../field.ts';

const MAX_PRICE_USD = 1_000_000;
const MODEL = /^[^\p{Cc}\s]{1,200}$/u;

/** The price of a model is looked up by the name that is sent to the service. */
const name = z.string().regex(MODEL, 'the name of a model has 1 to 200 characters and no spaces');
const price = (description: string) => number(description, { min: 0, max: MAX_PRICE_USD });

export const pricesSchema = z.record(
  name,
  z.strictObject({
    input: price('USD per million tokens of input.'),
    output: price('USD per million tokens of output, thoughts included.'),
    cached_input: price('USD per million tokens of input read from a cache (default: that of input).').optional(),
    cache_write: price('USD per million tokens of input written to a cache (default: that of input).').optional(),
  }),
);

/** Which models agents use, and what they cost. */
export const modelsSchema = z.strictObject({
  executor: text('The model that works on tasks.', {
    pattern: /^$|^[^\p{Cc}\s]{1,200}$/u,
    accepts: 'the name of a model, or nothing',
  }),
  planner: text('The model that shortens long conversations; when empty, models.executor.', {
    pattern: /^$|^[^\p{Cc}\s]{1,200}$/u,
    accepts: 'the name of a model, or nothing',
  }),
  prices: named(pricesSchema, 'Prices by the names of models; safety.max_cost_usd requires them.', {
    of: '{input, output, cached_input, cache_write}',
  }),
});
