import { DIAGNOSTIC_CODES, RUN_FORMAT, type RunRecord } from '../../protocol/index.ts';
import { paint } from './paint.ts';

/** One line for a record that is shown although its format is not known; nothing for any other. */
export function newerNoticeLine({ format }: RunRecord): string {
  return format === RUN_FORMAT ? '' : `${paint.yellow(`${DIAGNOSTIC_CODES.NEWER_VERSION} (${format})`)}\n`;
}
