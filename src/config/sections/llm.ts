import * as z from 'zod';
import { choice, duration, integer, integerOrNull, numberOrNull, text, variableName } from '../field.ts';

export const MODEL_PROVIDERS = ['openai_compatible', 'openai', 'anthropic', 'scripted'] as const;

const HOUR = 3_600_000;

/** The model service that agents use, and how patient they are with it. */
export const llmSchema = z.strictObject({
  provider: choice(MODEL_PROVIDERS, 'Kind of the model service; scripted follows a script and asks no service.'),
  base_url: text('Address of the model service; when empty, the usual one of the provider.', {
    pattern: /^$|^https?:\/\/[^\s@]+$/,
    accepts: 'an http:// or https:// address without a user name or password, or nothing',
  }),
  api_key_env: variableName(
    'The variable with the key of the service, which is secret and so not part of the configuration; when empty, the usual one of the provider.',
    { mayBeEmpty: true },
  ),
  timeout_ms: duration('How long a response may pause, its beginning included, before it counts as failed.', {
    min: 100,
    max: HOUR,
  }),
  max_retries: integer('How often a failed request is repeated, if that may help.', { min: 0, max: 100 }),
  retry_base_ms: duration('Delay before the first retry; it doubles with each one, up to llm.retry_max_ms.', {
    min: 1,
    max: HOUR,
  }),
  retry_max_ms: duration('Maximum delay before a retry.', { min: 1, max: HOUR }),
  retry_after_max_ms: duration('Longest wait that a provider may ask for; a run fails if it asks for more.', {
    min: 1,
    max: 24 * HOUR,
  }),
  max_output_tokens: integerOrNull('Maximum length of one response, in tokens; null leaves it to the service.', {
    min: 1,
    max: 10_000_000,
  }),
  temperature: numberOrNull('Randomness of responses; null leaves it to the service.', { min: 0, max: 2 }),
  requests: choice(
    ['allow', 'forbid'],
    'Whether requests to model services are sent at all; forbid fails each of them, the scripted model works.',
  ),
});
