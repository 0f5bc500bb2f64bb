import type { NewRun } from '../../client/index.ts';
import { findRun, readRunRecord } from '../../recording/index.ts';
import { completeLostAttempt, readStoredRequest, recordedRequest, replyTo } from '../../runs/index.ts';
import type { ResumeOptions } from '../commands/run.ts';
import { openContext } from '../context.ts';
import { recordHere } from './run.ts';

/** `tacho resume`: the exit code is that of the attempt. */
export async function resumeRun(selector: string, message: string, options: ResumeOptions): Promise<number> {
  const outer = openContext(options);
  await completeLostAttempt(selector, outer);
  const folder = findRun(outer.home.runs, selector);
  const record = readRunRecord(folder);
  const order = { ...replyTo(record, message, { reopen: options.reopen ?? false }), run: folder.path };
  const before = readStoredRequest(folder) ?? recordedRequest(record)!;
  const wanted: NewRun = {
    ...before,
    // What is stored counts; the caller's environment fills in what is not.
    inherit_env: true,
    mode: (options.mode as NewRun['mode']) ?? before.mode,
    model: options.model ?? before.model,
  };
  return recordHere({ wanted, order }, options, openContext(options, { workspaceRoot: record.cwd }));
}
