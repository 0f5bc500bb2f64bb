import { runModeSchema } from '../../protocol/index.ts';
import { findRun, readRunRecord } from '../../recording/index.ts';
import { completeLostAttempt, replyTo } from '../../runs/index.ts';
import { openContext } from '../context.ts';
import { settingsOf, usage } from './record-options.ts';
import type { ResumeOptions } from './resume.ts';
import { recordAndShow } from './run-command.ts';

/** `tacho resume`: the exit code is that of the attempt. */
export async function resumeRun(selector: string, message: string, options: ResumeOptions): Promise<number> {
  const mode = options.mode === undefined ? null : runModeSchema.safeParse(options.mode);
  if (mode && !mode.success) throw usage(`--mode ${options.mode} is not known`, 'Use auto or interactive.');
  const outer = openContext(options);
  await completeLostAttempt(selector, outer);
  const folder = findRun(outer.home.runs, selector);
  const record = readRunRecord(folder);
  const agent = replyTo(record, message, {
    reopen: options.reopen ?? false,
    mode: mode?.data ?? null,
    model: options.model ?? null,
  });
  const context = openContext(options, { workspaceRoot: record.cwd, settings: settingsOf(options) });
  const { engine } = record;
  return recordAndShow({ engine, command: [engine], agent, cwd: null, runSelector: folder.path }, options, context);
}
