import { cleanText } from './clean-text.ts';
import { inlineMarkdown } from './safe-markdown.ts';

const MAX_STEPS = 100;
const DONE = /^(?:completed?|done)$/i;

/** The assistant's plan as a checklist. */
export function planList(items: readonly unknown[]): string {
  const steps = items.slice(0, MAX_STEPS).map((item) => {
    const fields: Record<string, unknown> = typeof item === 'object' && item !== null ? { ...item } : { text: item };
    const isDone = fields.completed === true || DONE.test(String(fields.status ?? fields.state ?? ''));
    return `- [${isDone ? 'x' : ' '}] ${inlineMarkdown(cleanText(String(fields.text ?? JSON.stringify(item))))}`;
  });
  if (items.length > MAX_STEPS) steps.push(`- … ${items.length - MAX_STEPS} more`);
  return steps.length === 0 ? '' : `Plan:\n\n${steps.join('\n')}`;
}
