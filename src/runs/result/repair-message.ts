import { MARKER_IN_WORDS } from '../../conversation/index.ts';
import type { Violation } from '../../protocol/index.ts';

/** More would not make the task clearer. */
const MAX_NAMED = 20;

export interface Repair {
  /** Whether the assistant said that the work is done. */
  isMarked: boolean;
  violations: readonly Violation[];
  /** The file that the result is taken from, if the skill names one. */
  file: string | null;
}

/** The message of the repair turn. It says exactly what is wrong; the skill itself says what is expected. */
export function repairMessage({ isMarked, violations, file }: Repair): string {
  const missing = isMarked ? [] : ['The done marker is missing from your final message.'];
  const named = violations
    .slice(0, MAX_NAMED)
    .map(({ path, message }) => `- ${path === '' ? '(root)' : path}: ${message}`);
  const more = violations.length > MAX_NAMED ? [`- and ${violations.length - MAX_NAMED} more`] : [];
  const invalid = violations.length === 0 ? [] : ['The result does not follow its contract:', ...named, ...more];
  const where = file === null ? '' : ` Write the corrected result to ${file}.`;
  const task = isMarked
    ? `Correct only what is listed and do not repeat work that is done.${where}`
    : `If work is left, finish it first; do not repeat work that is done.${where}`;
  return [
    ...missing,
    ...invalid,
    '',
    `${task} Then end with the complete final message that the skill asks for, with its done marker${MARKER_IN_WORDS}.`,
  ].join('\n');
}
