import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface ReplayOptions extends CommonOptions {
  attempt?: string;
  speed: string;
  from?: string;
  idle?: string;
}

export function registerReplay(program: Command): void {
  const command = program
    .command('replay')
    .summary('watch a run again')
    .description('Plays a recording in this terminal, at the speed at which it happened.')
    .argument('<run>', 'run id, handle, its beginning, "last", or a path')
    .option('--attempt <n>', 'attempt (default: the last)')
    .option('--speed <factor>', 'faster or slower', '1')
    .option('--from <time>', 'start here, e.g. 1:20 or 80s')
    .option('--idle <duration>', 'wait at most this long between outputs, e.g. 2s')
    .addHelpText('after', '\nExamples:\n  tacho replay last\n  tacho replay 3f2a9c1b --speed 4 --idle 1s --from 1:20')
    .action(async (selector: string, options: ReplayOptions) => {
      const { replayRun } = await import('./replay-run.ts');
      await replayRun(selector, options);
    });
  withCommonOptions(command);
}
