import * as z from 'zod';
import { ENGINE_NAME_PATTERN, isOwnEngine } from '../../protocol/engine-names.ts';
import { engineDefinitionSchema, type TemplateWord, templateWordSchema } from '../../protocol/run/engine-definition.ts';
import { ENGINE_ARGUMENTS, PLACEHOLDERS } from '../../protocol/run/placeholders.ts';
import { described, text } from '../field.ts';
import { nearest } from '../nearest-key.ts';
import { RESERVED_NAMES } from './reserved-names.ts';

/** The name of a defined engine is a word of the command line, and part of run ids. */
const name = z
  .string()
  .regex(ENGINE_NAME_PATTERN, 'a name begins with a letter and has lower-case letters, digits, - and _, 40 at most')
  .refine((value) => !isOwnEngine(value), 'tacho has an engine of this name; choose another one')
  .refine((value) => !RESERVED_NAMES.has(value), 'this is a command of tacho; choose another name');

const { shape } = engineDefinitionSchema;
const WORD = 'text, or {when, unless, words, cut_at} for words that are there only when a value is given';

described(templateWordSchema, { kind: 'text', accepts: WORD, description: 'One argument.' });

/** One engine of the user's own: the definition, and the folder that holds the rest of it. */
const definition = z
  .strictObject({
    extends: described(shape.extends, {
      kind: 'choice',
      accepts: shape.extends.options.join(', '),
      description: 'The engine whose output format it prints; each key that is left out is that of this engine.',
    }),
    folder: text('A folder with an engine.yaml, which has these keys; those given beside it win.', {
      pattern: /^[^\0]+$/,
      accepts: 'the path of a folder',
    }).optional(),
    title: described(shape.title, {
      kind: 'text',
      accepts: 'a text of 1 to 100 characters',
      description: 'Its name for people.',
    }),
    command: described(shape.command, {
      kind: 'list',
      accepts: 'a list of at least one word',
      description: 'Its program, and words before all arguments. A path starts at the working folder of the run.',
    }),
    args: described(shape.args, {
      kind: 'list',
      accepts: 'a list of words',
      description: 'Further arguments, before those of --engine-arg.',
    }),
    start: described(shape.start.superRefine(template(['prompt'])), {
      kind: 'list',
      accepts: `a list of words with {prompt}, each ${WORD}`,
      description: 'All arguments of a first attempt.',
    }),
    resume: described(shape.resume.superRefine(template(['session', 'prompt'])), {
      kind: 'list',
      accepts: `a list of words with {session} and {prompt}, or []`,
      description: 'All arguments of an attempt that continues a session; []: it cannot.',
    }),
    model: described(shape.model, {
      kind: 'text',
      accepts: 'the name of a model',
      description: 'The model, unless --model names one.',
    }),
    base_url: described(shape.base_url, {
      kind: 'text',
      accepts: 'the URL of a model server',
      description: 'The model server, unless --base-url names one.',
    }),
    environment: described(shape.environment, {
      kind: 'map',
      accepts: 'a map with keys from: take, set, with_base_url, key_for_base_url',
      description: 'Variables that it takes from you (replaces the list), and those that tacho sets (added).',
    }),
    sign_in: described(shape.sign_in, {
      kind: 'map',
      accepts: 'a map with keys from: variables, files, login',
      description: 'Variables or files of its home that sign it in, and the arguments of its own sign-in.',
    }),
    terminal_by: described(shape.terminal_by, {
      kind: 'choice',
      accepts: 'engine or process',
      description: 'Whether the engine reports the end of its turn by a phase, or exit 0 is the end.',
    }),
    signals: described(shape.signals, {
      kind: 'map',
      accepts: 'a map with keys from: started, terminal, failed',
      description: 'Phases that mean start, end and failure of a turn.',
    }),
  })
  .superRefine(checkText);

export const definedEnginesSchema = z.record(name, definition);

/** Checks the placeholders of a template: those it needs, and misspelled ones. */
function template(needed: readonly string[]) {
  return (words: readonly TemplateWord[] | undefined, context: z.RefinementCtx): void => {
    if (words === undefined || words.length === 0) return;
    const texts = words.flatMap((word) => (typeof word === 'string' ? [word] : word.words));
    const missing = needed.find((one) => !texts.some((written) => hasPlaceholder(written, one)));
    if (missing !== undefined) complain(context, `{${missing}} is missing`, words);
    const misspelled = texts.map(misspelledPlaceholder).find((found) => found !== undefined);
    if (misspelled !== undefined) complain(context, misspelled, words);
  };
}

function hasPlaceholder(written: string, placeholder: string): boolean {
  return new RegExp(`\\{${placeholder}(?::quoted)?(?:\\|[^}]*)?\\}`).test(written);
}

/** Braces may be part of an argument, such as JSON; only a word that resembles a placeholder is a mistake. */
function misspelledPlaceholder(written: string): string | undefined {
  for (const [, found = ''] of written.matchAll(/\{([a-z_]+)(?::quoted)?(?:\|[^}]*)?\}/g)) {
    const known = [...PLACEHOLDERS, ENGINE_ARGUMENTS.slice(1, -1)].map((word) => ({ word: word as string }));
    if (known.some(({ word }) => word === found)) continue;
    const near = nearest(found, known)?.word;
    if (near !== undefined) return `did you mean {${near}} by {${found}}?`;
  }
  return undefined;
}

/** A command that prints no engine's format has no phases, and needs arguments of its own. */
function checkText(
  value: { extends: string; start?: unknown; signals?: unknown; terminal_by?: unknown },
  context: z.RefinementCtx,
): void {
  if (value.extends !== 'text') return;
  if (value.start === undefined) {
    context.addIssue({ code: 'custom', path: ['start'], params: { reason: 'is required with extends: text' } });
  }
  for (const key of ['signals', 'terminal_by'] as const) {
    if (value[key] === undefined) continue;
    context.addIssue({
      code: 'custom',
      path: [key],
      params: { reason: 'cannot be used with extends: text, which has no phases' },
    });
  }
}

function complain(context: z.RefinementCtx, reason: string, input: unknown): void {
  context.addIssue({ code: 'custom', params: { reason }, input });
}
