import { type Answer, sayText } from './answer.ts';
import { exampleObject, exampleValue } from './example-value.ts';
import type { ModelRequest } from './model-request.ts';
import { TITLE } from './wording.ts';

/**
 * Agents also send side requests: a title, who speaks next, a summary. Such a request declares no tools but has
 * instructions or a schema, or it forces a tool. A request with neither tools nor instructions is a user trying the
 * server by hand, and gets the scenario.
 */
export function isSideRequest({ tools, instructions, answerSchema, forcedTool }: ModelRequest): boolean {
  if (forcedTool !== null) return true;
  return tools.length === 0 && (instructions.trim() !== '' || answerSchema !== null);
}

export function answerAside({ tools, forcedTool, answerSchema }: ModelRequest): Answer {
  const forced = tools.find(({ name, kind }) => name === forcedTool && kind === 'function');
  if (forced) {
    const toolCall = { kind: 'function', name: forced.name, arguments: exampleObject(forced.parameters, {}) } as const;
    return { ...sayText(''), toolCall };
  }
  return sayText(answerSchema ? JSON.stringify(exampleValue(answerSchema)) : TITLE);
}
