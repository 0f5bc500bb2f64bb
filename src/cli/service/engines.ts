import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export function registerEngines(program: Command): void {
  const engines = program
    .command('engines')
    .summary('list the engines, or install one')
    .description('The agent engines tacho can run.')
    .addHelpText('after', '\nExamples:\n  tacho engines\n  tacho engines install codex claude');
  const list = engines
    .command('list', { isDefault: true })
    .description('Lists them: installed or not, version, tested version, what they can do.')
    .addHelpText('after', '\nExamples:\n  tacho engines\n  tacho engines list --json')
    .action(async (options: CommonOptions) => {
      const { listEngines } = await import('./list-engines.ts');
      listEngines(options);
    });
  withCommonOptions(list);
  const install = engines
    .command('install')
    .description('Installs engines in the version tacho was tested with, into a folder of tacho’s own.')
    .argument('<names...>', 'engines, or all')
    .addHelpText('after', '\nExamples:\n  tacho engines install codex\n  tacho engines install all')
    .action(async (names: string[], options: CommonOptions) => {
      const { installEngines } = await import('./list-engines.ts');
      await installEngines(names, options);
    });
  withCommonOptions(install);
}
