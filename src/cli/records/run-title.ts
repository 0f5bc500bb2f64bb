import type { RunRecord } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';
import { firstRequest } from '../../runs/index.ts';
import { commandLine, printable } from '../output/format.ts';

/** What a run is about, in one line: what an engine was asked for first, or the command. */
export function describeWork(record: RunRecord, folder: RunFolder): string {
  const request = firstRequest(record, folder);
  if (request === null) return commandLine(record.command);
  return `${record.engine}: ${printable(request.replaceAll(/\s+/g, ' '))}`;
}
