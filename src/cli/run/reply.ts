import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

const EXAMPLES = `
Examples:
  tacho reply 3f2a9c1b "use blue"
  tacho reply last -- -v is the flag I meant

With a server running the reply is handed to it, and the run goes on there. Without one: tacho resume.`;

export function registerReply(program: Command, afterDashes: readonly string[]): void {
  const command = program
    .command('reply')
    .summary('answer a run that waits, through the server')
    .description('Answers the open question of a run; the server goes on with it.')
    .argument('<run>', 'a handle, a run id, the beginning of either, or last')
    .argument('[text...]', 'the answer; after -- it may begin with a dash')
    .addHelpText('after', EXAMPLES)
    .action(async (selector: string, text: string[], options: CommonOptions) => {
      const { replyToRun } = await import('./reply-to-run.ts');
      await replyToRun(selector, [...text, ...afterDashes].join(' '), options);
    });
  withCommonOptions(command);
}
