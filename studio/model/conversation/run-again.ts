import type { NewRun } from '../../../src/client/index.ts';
import { mentionOf, type RunView } from '../../../src/protocol/index.ts';
import type { RunSkill } from '../skills/run-skill.ts';

/** The same request again, in a new folder unless the run had a given one. Null if the run had no request. */
export function sameAgain(run: RunView, request: string | null, skill: RunSkill | null = null): NewRun | null {
  const place = run.cwd.includes(run.run_id) ? {} : { cwd: run.cwd };
  const { parse_as } = run;
  if (parse_as !== undefined) return { command: run.command, parse_as, ...place };
  if (run.engine === 'text') return { command: run.command, ...place };
  if (skill) return { engine: run.engine, mode: run.mode, ...skillRequest(skill), ...place };
  const prompt = request ?? run.prompt;
  return prompt === null ? null : { engine: run.engine, prompt, mode: run.mode, ...place };
}

/** What was asked of the skill. The first message to the engine was made from it, and names files that are gone. */
function skillRequest({ main, request }: RunSkill): Partial<NewRun> {
  const { prompt, skills, input, parameters } = request;
  const given = Object.entries({ prompt, skills, input, parameters }).filter(([, value]) => value !== undefined);
  return { skill: mentionOf(main), ...Object.fromEntries(given) };
}
