import type { ResumeOptions } from '../commands/run.ts';
import { resumptionOf } from './resumption.ts';
import { recordHere } from './run.ts';

/** `tacho resume`: exits with the code of the attempt. */
export async function resumeRun(selector: string, message: string, options: ResumeOptions): Promise<number> {
  const { context, ...next } = await resumptionOf(selector, message, options);
  return recordHere(next, options, context);
}
