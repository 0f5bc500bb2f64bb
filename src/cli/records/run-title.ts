import { withoutDoneMarker } from '../../conversation/index.ts';
import type { RunRecord } from '../../protocol/index.ts';
import { firstRequest } from '../../record/index.ts';
import { commandLine, printable } from '../output/format.ts';

/** A run in one line: the first prompt of an engine, or the command. */
export function describeWork(record: RunRecord): string {
  const request = firstRequest(record);
  if (request === null) return commandLine(record.command);
  return `${record.engine}: ${printable(withoutDoneMarker(request).replaceAll(/\s+/g, ' ').trim())}`;
}
