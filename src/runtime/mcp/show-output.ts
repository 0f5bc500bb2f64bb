import * as z from 'zod';
import type { CommandOutput } from '../../protocol/index.ts';
import { decodeBytes } from '../../terminal/index.ts';

/** What a command printed to one stream, as text. */
export const shownOutputSchema = z.strictObject({
  text: z.string(),
  from: z.int().describe('The cursor at which it begins.'),
  to: z.int().describe('The cursor at which it ends.'),
  exact: z.boolean().describe('False: bytes that are not text are shown as U+FFFD.'),
  omitted: z
    .strictObject({ after: z.int().describe('The cursor to read it from.'), bytes: z.int() })
    .nullable()
    .describe('Omitted from the middle.'),
});
type ShownOutput = z.infer<typeof shownOutputSchema>;

export function showOutput({ omitted, from, to, ...encoded }: CommandOutput): ShownOutput {
  const bytes = decodeBytes(encoded);
  const exact = encoded.encoding === 'utf8';
  if (!omitted) return { text: bytes.toString(), from, to, exact, omitted: null };
  const head = bytes.subarray(0, omitted.at).toString();
  const tail = bytes.subarray(omitted.at).toString();
  return {
    text: `${head}\n[… ${omitted.bytes} bytes left out …]\n${tail}`,
    from,
    to,
    exact,
    omitted: { after: from + omitted.at, bytes: omitted.bytes },
  };
}
