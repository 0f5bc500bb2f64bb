import type { Command } from 'commander';
import { withCommonOptions } from '../common-options.ts';
import { type RecordOptions, withRecordOptions } from './run.ts';

export interface ResumeOptions extends RecordOptions {
  reopen?: boolean;
  mode?: string;
  model?: string;
}

const EXAMPLES = `
Examples:
  tacho resume 3f2a9c1b "use blue"
  tacho resume last -- -v is the flag I meant
  tacho resume --reopen 3f2a9c1b "now write the changelog"`;

export function registerResume(program: Command, afterDashes: readonly string[]): void {
  const command = program
    .command('resume')
    .summary('answer an engine that asked, or go on with its session')
    .description('Continues the engine’s own session with a message, as the next attempt of the same run.')
    .argument('<run>', 'a handle, a run id, the beginning of either, or last')
    .argument('[message...]', 'the answer; after -- it may begin with a dash')
    .option('--reopen', 'go on with a run that has ended')
    .option('--mode <mode>', 'auto or interactive (default: as before)')
    .option('--model <name>', 'model the engine is to use (default: as before)')
    .option('--translate <n>', '0: output as it is · 1: summary as JSON · 2: conversation as JSON · 3: chat (default)')
    .addHelpText('after', EXAMPLES)
    .action(async (selector: string, message: string[], options: ResumeOptions) => {
      const { resumeRun } = await import('./resume-run.ts');
      process.exitCode = await resumeRun(selector, [...message, ...afterDashes].join(' '), options);
    });
  withRecordOptions(command);
  withCommonOptions(command);
}
