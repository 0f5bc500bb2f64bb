import * as z from 'zod';
import { MAX_ARGUMENT_BYTES } from '../argument-size.ts';
import { ENGINE_NAMES } from '../engine-names.ts';
import { PLACEHOLDERS } from './placeholders.ts';
import { text, variableName } from './run-limits.ts';

const MAX_WORDS = 256;
const word = text(MAX_ARGUMENT_BYTES);
const words = z.array(word).max(MAX_WORDS);
/** A file below the home of an engine. */
const homePath = z
  .string()
  .max(1000)
  .regex(/^(?!\/)(?!(?:.*\/)?\.\.?(?:\/|$))[^\0]+$/, 'a path below the home, without . and ..');
const phases = z.array(z.string().min(1).max(100)).max(100);
const condition = z
  .string()
  .regex(
    new RegExp(`^(?:${PLACEHOLDERS.join('|')})(?:=.*)?$`),
    `one of ${PLACEHOLDERS.join(', ')}, or one with a value: format=json`,
  );

/** One argument; or several that are there only `when` a value is given, or has a value (`format=json`). */
export const templateWordSchema = z.union([
  word,
  z.strictObject({
    when: condition,
    unless: condition.optional(),
    words,
    cut_at: z.string().min(1).max(10).optional(),
  }),
]);

const templateSchema = z.array(templateWordSchema).max(MAX_WORDS);

/** The model and the model server of a request; a definition can set both for its engine. */
export const modelName = z
  .string()
  .regex(/^\w[\w./:@+-]*$/, 'is not a valid model name')
  .max(200);
export const baseUrl = z.url({ protocol: /^https?$/ }).regex(/^[^"'\\\s{}]+$/, 'is not a valid URL');

export const signalsSchema = z.strictObject({ started: phases, terminal: phases, failed: phases });

/** An engine of the user's own, as a change to one of ours: each part that is left out is that of the other engine. */
export const engineDefinitionSchema = z.strictObject({
  extends: z.enum([...ENGINE_NAMES, 'text']).describe('The engine whose output format it prints.'),
  title: z.string().min(1).max(100).optional().describe('Its name for people.'),
  command: words.min(1).optional().describe('Its program, and words before all arguments.'),
  args: words.optional().describe('Further arguments, before those of the request.'),
  start: templateSchema.optional().describe('All arguments of a first attempt.'),
  resume: templateSchema.optional().describe('All arguments of an attempt that continues a session; []: it cannot.'),
  model: modelName.optional().describe('The model of a request that names none.'),
  base_url: baseUrl.optional().describe('The model server of a request that names none.'),
  environment: z
    .strictObject({
      take: z.array(variableName).max(MAX_WORDS).optional(),
      set: z.record(variableName, word).optional(),
      with_base_url: z.record(variableName, word).optional(),
      key_for_base_url: variableName.optional(),
    })
    .optional()
    .describe('Variables it takes from the caller, and those that tacho sets.'),
  sign_in: z
    .strictObject({
      variables: z.array(variableName).max(MAX_WORDS).optional(),
      files: z.array(homePath).max(MAX_WORDS).optional(),
      login: words.optional(),
    })
    .optional()
    .describe('Variables or files of its home that sign it in, and the arguments of its own sign-in.'),
  terminal_by: z
    .enum(['engine', 'process'])
    .optional()
    .describe('Whether the engine reports the end of its turn, or exit 0 is the end.'),
  signals: signalsSchema.partial().optional().describe('Phases that mean start, end and failure of a turn.'),
});
export type EngineDefinition = DeepReadonly<z.infer<typeof engineDefinitionSchema>>;
export type TemplateWord = DeepReadonly<z.infer<typeof templateWordSchema>>;
type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** How the output of a defined engine is read: kept in the record, which can be read without the definition. */
export const engineReadingSchema = z.strictObject({
  extends: z.string(),
  title: z.string(),
  terminal_by: z.enum(['engine', 'process']),
  signals: signalsSchema,
});
export type EngineReading = z.infer<typeof engineReadingSchema>;
