import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface LoginOptions extends CommonOptions {
  fromHome?: boolean;
  yes?: boolean;
}

const LOGIN_EXAMPLES = `
Examples:
  tacho engines login codex
  tacho engines login claude --from-home      copy your own sign-in
  tacho engines login codex -- login --device-auth
  printenv OPENAI_API_KEY | tacho engines login codex -- login --with-api-key

Engines have a home of their own, so they do not see the sign-in of your home.
Arguments after -- replace those of the sign-in.`;

export function registerEngines(program: Command, afterDashes: readonly string[]): void {
  const engines = program
    .command('engines')
    .summary('list the engines, install one or sign in')
    .description('The agent engines tacho can run: its own, and those that your configuration defines.')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho engines\n  tacho engines install codex claude\n  tacho engines login codex',
    );
  registerList(engines);
  registerInstall(engines);
  registerLogin(engines, afterDashes);
}

function registerList(engines: Command): void {
  const list = engines
    .command('list', { isDefault: true })
    .summary('list the engines')
    .description('Lists them: whether they are installed and signed in, how tacho knows, and what to do next.')
    .addHelpText('after', '\nExamples:\n  tacho engines\n  tacho engines list --json')
    .action(async (options: CommonOptions) => {
      const { listEngines } = await import('../service/engines.ts');
      listEngines(options);
    });
  withCommonOptions(list);
}

function registerInstall(engines: Command): void {
  const install = engines
    .command('install')
    .summary('install engines')
    .description('Installs engines in the version tacho was tested with, into a folder of tacho’s own.')
    .argument('<names...>', 'engines, or all')
    .addHelpText('after', '\nExamples:\n  tacho engines install codex\n  tacho engines install all')
    .action(async (names: string[], options: CommonOptions) => {
      const { installEngines } = await import('../service/engines.ts');
      await installEngines(names, options);
    });
  withCommonOptions(install);
}

function registerLogin(engines: Command, afterDashes: readonly string[]): void {
  const login = engines
    .command('login')
    .summary('sign in to the service of an engine')
    .description('Runs the engine’s own sign-in with its managed home, or copies the sign-in of your own home.')
    .argument('<engine>', 'an engine of tacho engines')
    .option('--from-home', 'copy the credentials of your own home; asks first')
    .option('-y, --yes', 'copy without asking; required without a terminal')
    .addHelpText('after', LOGIN_EXAMPLES)
    .action(async (name: string, options: LoginOptions) => {
      const { loginCommand } = await import('../service/engine-login.ts');
      await loginCommand(name, afterDashes, options);
    });
  withCommonOptions(login);
}
