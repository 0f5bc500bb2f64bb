import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from './common-options.ts';

export interface DemoOptions extends CommonOptions {
  port?: string;
  host?: string;
  scenario?: string;
  list?: boolean;
}

const EXAMPLES = `
Examples:
  tacho demo                         a model server on a free port, until Ctrl-C
  tacho demo --port 4100 --scenario ask
  tacho demo --list                  the scenarios it can play

Every request may choose its own scenario by its path: http://127.0.0.1:4100/sc/tool/…`;

export function registerDemo(program: Command): void {
  const command = program
    .command('demo')
    .summary('a model server that follows a script, to try agents without a model')
    .description(
      'Serves a scripted model on this machine, for OpenAI, Gemini and Anthropic clients. No key, no network, no cost.',
    )
    .option('--port <n>', 'port to listen on; 0 takes a free one (default: 0)')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--scenario <name>', 'what to play when the path names nothing (default: tool)')
    .option('--list', 'print the scenarios and end')
    .addHelpText('after', EXAMPLES)
    .action(async (options: DemoOptions) => {
      const { serveDemo } = await import('./serve-demo.ts');
      process.exitCode = await serveDemo(options);
    });
  withCommonOptions(command);
}
