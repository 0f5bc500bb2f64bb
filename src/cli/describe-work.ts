import type { RunRecord } from '../protocol/index.ts';
import { commandLine, printable } from './format.ts';

/** What a run is about, in one line: what an engine was told, or the command. */
export function describeWork({ engine, launch, command }: RunRecord): string {
  if (launch?.prompt === undefined) return commandLine(command);
  return `${engine}: ${printable(launch.prompt.replaceAll(/\s+/g, ' '))}`;
}
