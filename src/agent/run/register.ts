import { hash } from 'node:crypto';
import { mkdirSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { createOnce, errnoOf, readRegularFile, writeWhole } from '../../files/index.ts';
import { REGISTERED_AGENTS_FOLDER } from '../../protocol/file-names.ts';
import type { AgentRegistration } from '../../protocol/index.ts';

type Registered = Pick<AgentRegistration, 'run_id' | 'workspace' | 'locator'>;

/** A registration has a few short members. */
const MAX_BYTES = 64 * 1024;

/** Makes a run known to a data folder, once. The run itself does not need it, so a failure is only a warning. */
export function registerRun(dataFolder: string, run: Registered): void {
  try {
    write(path.join(dataFolder, REGISTERED_AGENTS_FOLDER), run);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    process.emitWarning(`the run "${run.run_id}" could not be registered in ${dataFolder}: ${cause}`, {
      code: 'TACHO_REGISTER',
    });
  }
}

function write(folder: string, run: Registered): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const content: AgentRegistration = { format: 'tacho-agent-run/1', ...run, registered_at: new Date().toISOString() };
  const text = `${JSON.stringify(content)}\n`;
  const file = path.join(folder, `${run.run_id}.json`);
  if (createOnce(file, text)) return;
  const known = locatorIn(file);
  if (known === run.locator) {
    // A server notices that a process continues the run.
    utimesSync(file, new Date(), new Date());
    return;
  }
  if (known === null) writeWhole(file, text);
  // A program may name its runs itself, in every workspace alike.
  else writeWhole(path.join(folder, `${run.run_id}~${hash('sha256', run.locator).slice(0, 12)}.json`), text);
}

/** Null if the file is not a registration. */
function locatorIn(file: string): string | null {
  try {
    const { locator } = JSON.parse(readRegularFile(file, { maxBytes: MAX_BYTES })) as { locator?: unknown };
    return typeof locator === 'string' ? locator : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || errnoOf(error) === 'EFBIG') return null;
    throw error;
  }
}
