import type { Command } from 'commander';
import type { CommonOptions } from '../common-options.ts';

export interface GetOptions extends CommonOptions {
  origin?: boolean;
}

export interface EditOptions extends CommonOptions {
  workspace?: boolean;
}

const GROUP_HELP = `
Examples:
  tacho config                                    every value and its origin
  tacho config get limits.timeout_ms
  tacho config set limits.timeout_ms 30m          in your own file
  tacho config set terminal.cols 100 --workspace  in that of this folder
  tacho config check`;

const GET_EXAMPLES = `
Examples:
  tacho config get terminal.cols
  tacho config get targets.ssh --json
  tacho config get limits.timeout_ms --origin`;

const SET_EXAMPLES = `
Examples:
  tacho config set limits.timeout_ms 1h30m
  tacho config set recording.ignore node_modules,.git,dist
  tacho config set terminal.cols 100 --workspace
  tacho config set targets.ssh.build '{host: h, user: u, host_key: …}'
  tacho config set targets.ssh.build.port 2222

Comments and layout of the file are kept. Nothing is written unless the result is valid.`;

const UNSET_EXAMPLES = `
Examples:
  tacho config unset limits.timeout_ms
  tacho config unset targets.ssh.build --workspace`;

const CHECK_EXAMPLES = `
Examples:
  tacho config check
  tacho config check config/tacho.yaml
  tacho config check --json

Exits with 1 if there are problems.`;

export function registerConfig(program: Command): void {
  const config = program
    .command('config')
    .summary('read, check and change the configuration')
    .description('Reads, checks and changes the configuration.')
    .addHelpText('after', GROUP_HELP);
  const explain = config
    .command('explain', { isDefault: true })
    .summary('print effective values with their origins')
    .description('Prints every effective value with its origin and what it overrode.')
    .argument('[key]', 'only this key, section or named entry, e.g. recording.level')
    .addHelpText('after', '\nExamples:\n  tacho config explain\n  tacho config explain limits')
    .action(async (key: string | undefined, options: CommonOptions) => {
      const { explainCommand } = await import('../config/explain.ts');
      explainCommand(key, options);
    });
  withDataOptions(explain);
  const get = config
    .command('get')
    .summary('print a value')
    .description('Prints the value of a key, a section or a named entry.')
    .argument('<key>', 'e.g. limits.timeout_ms or targets.ssh.build')
    .option('--origin', 'also print where each value comes from')
    .addHelpText('after', GET_EXAMPLES)
    .action(async (key: string, options: GetOptions) => {
      const { getCommand } = await import('../config/get.ts');
      getCommand(key, options);
    });
  withDataOptions(get);
  const set = config
    .command('set')
    .summary('set a key in your own file')
    .description('Sets a key in your own file, config.yaml of the data folder.')
    .argument('<key>', 'e.g. limits.timeout_ms or targets.ssh.build.port')
    .argument('<value>', 'lists as a,b,c or JSON; maps as YAML or JSON; null removes a named entry')
    .option('--workspace', 'set it in config/tacho.yaml of this folder instead')
    .addHelpText('after', SET_EXAMPLES)
    .action(async (key: string, value: string, options: EditOptions) => {
      const { setCommand } = await import('../config/set.ts');
      await setCommand(key, value, options);
    });
  withDataOptions(set);
  const unset = config
    .command('unset')
    .summary('remove a key from your own file')
    .description('Removes a key from your own file, so that lower layers take effect again.')
    .argument('<key>', 'e.g. limits.timeout_ms')
    .option('--workspace', 'remove it from config/tacho.yaml of this folder instead')
    .addHelpText('after', UNSET_EXAMPLES)
    .action(async (key: string, options: EditOptions) => {
      const { unsetCommand } = await import('../config/set.ts');
      await unsetCommand(key, options);
    });
  withDataOptions(unset);
  const check = config
    .command('check')
    .summary('list all problems of the configuration')
    .description('Checks the configuration and lists all problems with line and column.')
    .argument('[file]', 'check only this file (default: all that apply in this folder)')
    .addHelpText('after', CHECK_EXAMPLES)
    .action(async (file: string | undefined, options: CommonOptions) => {
      const { checkCommand } = await import('../config/check.ts');
      process.exitCode = checkCommand(file, options);
    });
  withDataOptions(check);
  config
    .command('defaults')
    .summary('print the defaults as YAML')
    .description('Prints the defaults as YAML, as a start for config/tacho.yaml.')
    .action(async () => {
      const { defaultYaml } = await import('../../config/index.ts');
      process.stdout.write(defaultYaml());
    });
}

/** These commands use the data folder for settings, not for runs, so its option has its own help text. */
function withDataOptions(command: Command): Command {
  return command
    .option(
      '--data <folder>',
      'where your config.yaml and trusted folders are kept (default: $TACHO_HOME, else ~/.tacho)',
    )
    .option('--json', 'answer as JSON');
}
