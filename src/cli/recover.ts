import type { Command } from 'commander';
import { type CommonOptions, openContext, withCommonOptions } from './context.ts';

export function registerRecover(program: Command): void {
  const command = program
    .command('recover')
    .summary('complete runs whose recorder died')
    .description(
      'Completes the record of runs whose recorder died: ends what is left of them, reads their bytes again, seals them.',
    )
    .argument('[run]', 'one run; all of them when left out')
    .addHelpText('after', '\nExamples:\n  tacho recover\n  tacho recover 3f2a9c1b')
    .action(async (selector: string | undefined, options: CommonOptions) => {
      const { completeLostAttempt, recoverLostRuns } = await import('../runs/index.ts');
      const { findRun } = await import('../recording/index.ts');
      const context = openContext(options);
      let completed: string[];
      if (selector === undefined) completed = await recoverLostRuns(context);
      else
        completed = (await completeLostAttempt(selector, context)) ? [findRun(context.home.runs, selector).runId] : [];
      if (options.json) process.stdout.write(`${JSON.stringify({ completed })}\n`);
      else if (completed.length === 0) process.stdout.write('Nothing to complete.\n');
      else for (const runId of completed) process.stdout.write(`completed ${runId}\n`);
    });
  withCommonOptions(command);
}
