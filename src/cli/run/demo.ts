import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface DemoOptions extends CommonOptions {
  serve?: boolean;
  port?: string;
  host?: string;
  scenario?: string;
  list?: boolean;
}

const EXAMPLES = `
Examples:
  tacho demo                         an agent at work: it runs commands, writes a file and asks a question
  tacho demo --serve                 a model server on a free port, until Ctrl-C
  tacho demo --port 4100 --scenario ask
  tacho demo --list                  the scenarios it can play

Of the model server every request may choose its own scenario by its path: http://127.0.0.1:4100/sc/tool/…`;

export function registerDemo(program: Command): void {
  const command = program
    .command('demo')
    .summary('an agent that follows a script, or a model server that does')
    .description(
      'Lets an agent that follows a script work, so that everything can be seen without an account. With --serve it is a scripted model on this machine instead, for OpenAI, Gemini and Anthropic clients. No key, no network, no cost.',
    )
    .option('--serve', 'serve the model; goes without saying with the options below')
    .option('--port <n>', 'port to listen on; 0 takes a free one (default: 0)')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--scenario <name>', 'what to play when the path names nothing (default: tool)')
    .option('--list', 'print the scenarios and end')
    .addHelpText('after', EXAMPLES)
    .action(async (options: DemoOptions) => {
      process.exitCode = servesModel(options) ? await serve(options) : await letAgentWork(options);
    });
  withCommonOptions(command);
}

function servesModel({ serve, port, host, scenario, list }: DemoOptions): boolean {
  return serve === true || list === true || [port, host, scenario].some((given) => given !== undefined);
}

async function serve(options: DemoOptions): Promise<number> {
  const { serveDemo } = await import('./serve-demo.ts');
  return serveDemo(options);
}

async function letAgentWork(options: CommonOptions): Promise<number> {
  const { runCommand } = await import('./run-command.ts');
  const afterDashes = ['Look around and write a report.'];
  return runCommand({ beforeDashes: ['demo'], afterDashes, options: { ...options, mode: 'interactive' } });
}
