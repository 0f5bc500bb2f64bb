import { TachoError } from '../protocol/error-code.ts';
import { type OutputOf, readInputSchema, type StandardInput } from './input-schema.ts';
import type { JsonSchema, Tool } from './tool.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** A tool without what can be left out. */
export type ToolDefinition<Input> = Pick<
  Tool<Input>,
  | 'name'
  | 'description'
  | 'untrustedSchema'
  | 'parse'
  | 'isRepeatable'
  | 'delegates'
  | 'actions'
  | 'earlyActions'
  | 'redact'
  | 'questions'
  | 'execute'
> &
  Partial<Pick<Tool<Input>, 'concurrency' | 'hasEffects'>>;

/**
 * Defines a tool. The type of its input follows from a zod or Standard Schema; with a JSON Schema, state it:
 * `tool<{ path: string }>({ … })`. Unless stated otherwise, it has effects and runs alone. Throws TOOL_INVALID.
 */
export function tool<Schema extends StandardInput>(
  definition: ToolDefinition<OutputOf<Schema>> & { input: Schema },
): Tool<OutputOf<Schema>>;
export function tool<Input = Record<string, unknown>>(
  definition: ToolDefinition<Input> & { input: JsonSchema },
): Tool<Input>;
export function tool<Input>({ input, ...definition }: ToolDefinition<Input> & { input: unknown }): Tool<Input> {
  const { name, description, concurrency = 'exclusive', hasEffects = true, execute } = definition;
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw invalid(`invalid tool name ${JSON.stringify(name)}`, 'Use 1 to 64 letters, digits, _ and -.');
  }
  if (typeof description !== 'string' || description.trim() === '') {
    throw invalid(`the tool "${name}" has no description`, 'Say what it does and when to use it: the model reads it.');
  }
  if (typeof execute !== 'function') throw invalid(`the tool "${name}" has no execute`, 'Add the function it runs.');
  if (concurrency !== 'shared' && concurrency !== 'exclusive') {
    throw invalid(
      `the tool "${name}" has the concurrency ${JSON.stringify(concurrency)}`,
      'Use "shared" or "exclusive".',
    );
  }
  return Object.freeze({ ...definition, concurrency, hasEffects, ...readInputSchema<Input>(name, input) });
}

function invalid(what: string, fix: string): TachoError {
  return new TachoError('TOOL_INVALID', what, { fix });
}
