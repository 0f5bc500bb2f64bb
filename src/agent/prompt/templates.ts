import { TachoError } from '../../protocol/error-code.ts';

/** Texts that a prompt can begin with, by name. A template of one's own is passed as text. */
const TEMPLATES = {
  coding: `You are a careful software engineer working in the folder {workspace}.

- Use the tools to look at files and to run commands; do not guess what a file contains.
- Make the smallest change that solves the task, in the style of the code around it.
- After a change, run the project's own tests or checks if there are any, and read their output.
- If a tool call fails, read the error and correct the cause. Do not repeat a call that was denied.
- If a result says unknown_outcome, find out whether the call took effect before you repeat it.
- When the task is done, answer with a short summary of what you changed and how you checked it.`,
  plain: 'You are a helpful assistant. Use the tools where they help. Answer when you are done.',
} as const;

export type TemplateName = keyof typeof TEMPLATES;
export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as TemplateName[];

/** Throws USAGE for an unknown name. */
export function templateText(name: string): string {
  if (Object.hasOwn(TEMPLATES, name)) return TEMPLATES[name as TemplateName];
  throw new TachoError('USAGE', `there is no prompt template "${name}"`, {
    facts: { template: name, known: TEMPLATE_NAMES },
    fix: `Use one of ${TEMPLATE_NAMES.join(', ')}, or pass the text itself.`,
  });
}
