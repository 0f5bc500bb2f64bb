import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export function registerShow(program: Command): void {
  const command = program
    .command('show')
    .summary('how a run went')
    .description('Shows how a run went, attempt by attempt, and what is missing if its recorder died.')
    .argument('<run>', 'run id, handle, its beginning, "last", or a path')
    .option('--chat', 'the conversation instead')
    .addHelpText('after', '\nExamples:\n  tacho show last\n  tacho show last --chat\n  tacho show 3f2a9c1b --json')
    .action(async (selector: string, options: CommonOptions & { chat?: boolean }) => {
      if (options.chat) {
        const { showChat } = await import('./show-chat.ts');
        await showChat(selector, options);
        return;
      }
      const { showRun } = await import('./show-run.ts');
      showRun(selector, options);
    });
  withCommonOptions(command);
}
