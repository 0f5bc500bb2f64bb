import type { ResumeOptions } from '../commands/run.ts';
import { resumptionOf } from './resumption.ts';
import { recordHere } from './run.ts';

/** `tacho resume`: the exit code is that of the attempt. */
export async function resumeRun(selector: string, message: string, options: ResumeOptions): Promise<number> {
  const { context, ...next } = await resumptionOf(selector, message, options);
  return recordHere(next, options, context);
}
