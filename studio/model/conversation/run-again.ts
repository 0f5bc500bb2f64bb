import type { NewRun } from '../../../src/client/index.ts';
import type { RunView } from '../../../src/protocol/index.ts';

/** The same request again, in a new folder unless the run had a given one. Null if the run had no request. */
export function sameAgain(run: RunView, request: string | null): NewRun | null {
  const place = run.cwd.includes(run.run_id) ? {} : { cwd: run.cwd };
  const { parse_as } = run;
  if (parse_as !== undefined) return { command: run.command, parse_as, ...place };
  if (run.engine === 'text') return { command: run.command, ...place };
  const prompt = request ?? run.prompt;
  return prompt === null ? null : { engine: run.engine, prompt, mode: run.mode, ...place };
}
