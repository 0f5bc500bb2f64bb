import * as z from 'zod';
import { choice, integer, text } from '../field.ts';

export const OVERFLOW_MODES = ['fail_fast', 'compact_first', 'ask_first'] as const;

const file = { pattern: /^[^\0]*$/, accepts: 'the path of a file, or nothing' };

/** What agents are told besides the task, and how much of a conversation they keep. */
export const promptSchema = z.strictObject({
  system_template: text('Name of the system prompt.', {
    pattern: /^[a-z][a-z0-9_-]{0,63}$/,
    accepts: 'the name of a template: lower-case letters, digits, - and _',
  }),
  system_file: text(
    'File with a system prompt that replaces the template; relative paths start at the workspace.',
    file,
  ),
  developer: text('Rules of your own, added to the system prompt.', {
    pattern: /^[^\0]{0,100000}$/,
    accepts: 'a text of at most 100000 characters',
  }),
  developer_file: text('File with such rules; they follow prompt.developer.', file),
  history_max_messages: integer('Maximum number of messages of a conversation in a prompt; older ones are dropped.', {
    min: 4,
    max: 1_000_000,
  }),
  history_max_chars: integer('Maximum length of the conversation in a prompt, in characters.', {
    min: 1000,
    max: 1_000_000_000,
  }),
  on_overflow: choice(
    OVERFLOW_MODES,
    'Reaction to a prompt that the model rejects as too long: fail, summarize the conversation, or ask first.',
  ),
});
