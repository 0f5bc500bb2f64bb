import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface RawOptions extends CommonOptions {
  stream?: string;
  attempt?: string;
  range?: string;
}

export function registerRaw(program: Command): void {
  const command = program
    .command('raw')
    .summary('the exact bytes a run printed')
    .description('Writes the exact bytes of one stream of an attempt to stdout.')
    .argument('<run>', 'run id, handle, its beginning, "last", or a path')
    .option('--stream <stream>', 'stdout (default), stderr, stdin, or pty: both merged')
    .option('--attempt <n>', 'attempt (default: the last)')
    .option('--range <from-to>', 'only these bytes, half-open, as in a raw_ref: 1024-2048')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho raw last\n  tacho raw 3f2a9c1b --stream stderr --attempt 1\n  tacho raw last --range 0-100 | xxd',
    )
    .action(async (selector: string, options: RawOptions) => {
      const { writeRaw } = await import('./write-raw.ts');
      await writeRaw(selector, options);
    });
  withCommonOptions(command);
}
