import type { NewRun } from '../../../src/client/index.ts';
import type { RunView } from '../../../src/protocol/index.ts';

/** The same once more, in a folder of its own unless the run was told to work somewhere. Null where nothing was asked. */
export function sameAgain(run: RunView, request: string | null): NewRun | null {
  const place = run.cwd.includes(run.run_id) ? {} : { cwd: run.cwd };
  if (run.engine === 'text') return { command: run.command, ...place };
  const prompt = request ?? run.prompt;
  return prompt === null ? null : { engine: run.engine, prompt, mode: run.mode, ...place };
}
