import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface DecideOptions extends CommonOptions {
  reason?: string;
  run?: boolean;
  always?: boolean;
}

const EXAMPLES = `
Examples:
  tacho approvals
  tacho approvals allow demo-3f2a9c1b.1
  tacho approvals allow --always
  tacho approvals deny --reason "not on Fridays"`;

export function registerApprovals(program: Command): void {
  const approvals = program
    .command('approvals')
    .summary('list pending approvals, and decide')
    .description('Lists what agents of all runs ask to be allowed to do, and decides.')
    .addHelpText('after', EXAMPLES);
  const list = approvals
    .command('list', { isDefault: true })
    .summary('list pending approvals')
    .description('Lists pending approvals, oldest first.')
    .addHelpText('after', '\nExamples:\n  tacho approvals\n  tacho approvals list --json')
    .action(async (options: CommonOptions) => {
      const { listApprovals } = await import('../run/approvals.ts');
      await listApprovals(options);
    });
  withCommonOptions(list);
  for (const [name, decision] of [
    ['allow', 'approved'],
    ['deny', 'denied'],
  ] as const) {
    const command = approvals
      .command(name)
      .summary(`${name} what an agent asks for`)
      .description(`${name === 'allow' ? 'Allows' : 'Denies'} what an agent asks for.`)
      .argument('[id]', 'approval, or the beginning of its id (default: the only pending one)')
      .option('--reason <text>', 'why, for the agent and the record');
    if (name === 'allow') {
      command
        .option('--run', 'also allow, in this run, everything that the suggested rule covers')
        .option('--always', 'the same for all runs: adds the rule to your configuration');
    }
    command
      .addHelpText('after', `\nExamples:\n  tacho approvals ${name}\n  tacho approvals ${name} demo-3f2a9c1b.1`)
      .action(async (id: string | undefined, options: DecideOptions) => {
        const { decideApproval } = await import('../run/approvals.ts');
        process.exitCode = await decideApproval(id ?? null, decision, options);
      });
    withCommonOptions(command);
  }
}
