import { TachoError } from '../../protocol/error-code.ts';
import { type ToolDefinition, tool } from '../../tools/define-tool.ts';
import type { JsonSchema, Tool, ToolAnswer } from '../../tools/tool.ts';

/** What a recorded tool answers: always the same, one answer after the other, or what a function makes of the input. */
export type RecordedAnswers =
  | ToolAnswer
  | readonly ToolAnswer[]
  | ((input: unknown, n: number) => ToolAnswer | Promise<ToolAnswer>);

export interface RecordedCall {
  name: string;
  input: unknown;
}

/** Tools with the calls that they got so far. */
export type RecordedTools = readonly Tool[] & { readonly calls: readonly RecordedCall[] };

const ANY_INPUT: JsonSchema = { type: 'object', additionalProperties: true };

/**
 * Tools that answer from a table and do nothing else. They take any arguments and say that they have no effects, unless
 * `definitions` says otherwise.
 */
export function recordedTools(
  table: Readonly<Record<string, RecordedAnswers>>,
  definitions: Readonly<
    Record<string, Partial<Omit<ToolDefinition<unknown>, 'name' | 'execute'>> & { input?: JsonSchema }>
  > = {},
): RecordedTools {
  const calls: RecordedCall[] = [];
  const tools = Object.entries(table).map(([name, answers]) => {
    let count = 0;
    return tool<unknown>({
      description: `Recorded answers of ${name}.`,
      input: ANY_INPUT,
      concurrency: 'shared',
      hasEffects: false,
      ...definitions[name],
      name,
      execute(input) {
        calls.push({ name, input });
        return answerAt(name, answers, { input, n: count++ });
      },
    });
  });
  return Object.assign(tools, { calls });
}

function answerAt(name: string, answers: RecordedAnswers, { input, n }: { input: unknown; n: number }) {
  if (typeof answers === 'function') return answers(input, n);
  if (!isList(answers)) return answers;
  const answer = answers[n];
  if (answer !== undefined) return answer;
  throw new TachoError('USAGE', `"${name}" was called ${n + 1} times, but has ${answers.length} recorded answers`, {
    fix: 'Record more answers, or pass one that is always given.',
  });
}

function isList(answers: RecordedAnswers): answers is readonly ToolAnswer[] {
  return Array.isArray(answers);
}
