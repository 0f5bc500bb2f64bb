import fs from 'node:fs';
import path from 'node:path';
import { dataFolderOf } from '../../config/data-folder.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { printable } from '../output/format.ts';

const MAX_RUNS = 30;
const MAX_TITLE = 60;

/**
 * The newest runs, one line each: the handle, a tab, the run's title. Skips checks of records, because the user waits
 * for the completion; leaves out unreadable ones.
 */
export function runCandidates(env: NodeJS.ProcessEnv): string[] {
  const runs = path.join(dataFolderOf(env), 'runs');
  const ids = fs.readdirSync(runs).sort().reverse().slice(0, MAX_RUNS);
  return ids.flatMap((id) => {
    try {
      const record = JSON.parse(readRegularFile(path.join(runs, id, '.run.json'))) as Record<string, unknown>;
      return [`${id.slice(-8)}\t${titleOf(record)}`];
    } catch {
      return [];
    }
  });
}

function titleOf({ request, engine, command, status }: Record<string, unknown>): string {
  const prompt = typeof request === 'object' && request !== null ? (request as { prompt?: unknown }).prompt : request;
  const work = typeof prompt === 'string' ? `${engine}: ${prompt}` : Array.isArray(command) ? command.join(' ') : '';
  const line = printable(`${status}: ${work}`.replaceAll(/\s+/g, ' '));
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE - 1)}…`;
}
