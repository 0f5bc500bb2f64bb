import * as z from 'zod';
import { duration, integer, list, size } from '../field.ts';

const toolNames = { item: /^[A-Za-z0-9_.*:/-]{1,128}$/, of: 'tool names; * matches any characters' };

/** Which tools agents have, and their limits. */
export const toolsSchema = z.strictObject({
  enabled: list('The tools that agents may use.', toolNames),
  disabled: list('Tools that they may not use, even if tools.enabled has them.', toolNames),
  timeout_ms: duration('Timeout of a tool call that sets none.', { min: 1, max: 24 * 3_600_000 }),
  max_output_bytes: size('Maximum size of the output of a call in the conversation; the artifacts have all of it.', {
    min: 1024,
    max: 64 * 2 ** 20,
  }),
  parallel: integer('Maximum number of calls that run at the same time.', { min: 1, max: 64 }),
});
