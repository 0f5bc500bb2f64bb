import { DIAGNOSTIC_CODES, RUN_FORMAT, type RunRecord } from '../../protocol/index.ts';
import { paint } from './paint.ts';

/** One line for a record in an unknown format that is shown anyway; empty for others. */
export function newerNoticeLine({ format }: RunRecord): string {
  return format === RUN_FORMAT ? '' : `${paint.yellow(`${DIAGNOSTIC_CODES.NEWER_VERSION} (${format})`)}\n`;
}
