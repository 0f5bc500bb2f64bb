import type { Command } from 'commander';
import type { CommonOptions } from '../common-options.ts';

export function registerConfig(program: Command): void {
  const config = program
    .command('config')
    .summary('the configuration and where it comes from')
    .description('The configuration and where each value comes from.');
  config
    .command('explain', { isDefault: true })
    .description('Prints every effective value with its origin and what it overrode.')
    .argument('[path]', 'only this field or section, e.g. recording.level')
    .option('--json', 'answer as JSON')
    .addHelpText('after', '\nExamples:\n  tacho config explain\n  tacho config explain limits')
    .action(async (path: string | undefined, options: CommonOptions) => {
      const { explainConfig, loadConfig } = await import('../../config/index.ts');
      const loaded = loadConfig({ workspaceRoot: process.cwd(), env: process.env });
      const lines = explainConfig(loaded, path);
      const origins = loaded.origins.filter((origin) => path === undefined || `${origin.path}.`.startsWith(`${path}.`));
      process.stdout.write(options.json ? `${JSON.stringify({ origins })}\n` : `${lines.join('\n')}\n`);
    });
  config
    .command('defaults')
    .description('Prints the defaults as YAML, to start a config/tacho.yaml from.')
    .action(async () => {
      const { defaultYaml } = await import('../../config/index.ts');
      process.stdout.write(defaultYaml());
    });
}
