import { cutToColumns } from './columns.ts';
import type { Page } from './page.ts';
import { sanitizeOneLine } from './sanitize.ts';

const LEAD = '✻ thought: ';
/** A sentence ends with punctuation before a space, or with the line. */
const FIRST_SENTENCE = /^.*?(?:[.!?](?=\s)|[。！？]|$)/mu;

/** Reasoning folded into one line: its first sentence. */
export function showThought(page: Page, text: string, indent: number): void {
  const plain = text.replaceAll('**', '').trim();
  if (plain === '') return;
  const sentence = FIRST_SENTENCE.exec(plain.slice(0, 2000))![0].trim();
  const more = sentence.length < plain.length ? ' …' : '';
  const room = page.screen.columns - indent - LEAD.length - more.length;
  const thought = cutToColumns(sanitizeOneLine(sentence), room);
  const line = `${LEAD}${thought}${thought.endsWith('…') ? '' : more}`;
  page.lines('work', [`${' '.repeat(indent)}${page.colors.dim(line)}`]);
}
