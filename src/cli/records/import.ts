import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface ImportOptions extends CommonOptions {
  stdout?: string;
  stderr?: string;
  pty?: string;
  exitCode?: string;
  signal?: string;
  mode?: string;
  requireMarker?: boolean;
}

const EXAMPLES = `
Examples:
  tacho import codex --stdout out.log --stderr err.log --exit-code 0
  tacho import claude --pty session.log --exit-code 1 --json
  docker logs job 2>/dev/null | tacho import gemini --stdout - --exit-code 0`;

export function registerImport(program: Command): void {
  const command = program
    .command('import')
    .summary('make a run from logs recorded elsewhere')
    .description(
      'Makes a run from logs that were recorded elsewhere: a CI job, another harness. It gets events, a conversation, a completion and a seal like any other.',
    )
    .argument('<engine>', 'which engine printed them; text for any other command')
    .option('--stdout <file>', 'its standard output; - reads ours')
    .option('--stderr <file>', 'its standard error')
    .option('--pty <file>', 'both, as a terminal showed them')
    .option('--exit-code <n>', 'how it exited')
    .option('--signal <name>', 'the signal that killed it, e.g. SIGTERM')
    .option('--mode <mode>', 'auto (default) or interactive')
    .option('--require-marker', 'count the work as done only with the done marker')
    .addHelpText('after', EXAMPLES)
    .action(async (engine: string, options: ImportOptions) => {
      const { importLogs } = await import('./import-logs.ts');
      await importLogs(engine, options);
    });
  withCommonOptions(command);
}
