import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface ExportOptions extends CommonOptions {
  format: string;
  attempt?: string;
  output?: string;
}

export function registerExport(program: Command): void {
  const command = program
    .command('export')
    .summary('a run as asciicast, text, picture or zip')
    .description(
      'Writes a run in a form other programs read: asciicast v2 (plays in asciinema), plain text, its disc as an SVG picture, or the whole record as zip.',
    )
    .argument('<run>', 'run id, handle, its beginning, "last", or a path')
    .requiredOption('--format <format>', 'asciicast, txt, svg or zip')
    .option('--attempt <n>', 'attempt, for asciicast and txt (default: the last)')
    .option('-o, --output <file>', 'write here (default: stdout; for zip <run>.zip)')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho export last --format asciicast -o demo.cast && asciinema play demo.cast\n  tacho export last --format txt\n  tacho export last --format svg -o disc.svg\n  tacho export 3f2a9c1b --format zip',
    )
    .action(async (selector: string, options: ExportOptions) => {
      const { exportRun } = await import('./export-run.ts');
      await exportRun(selector, options);
    });
  withCommonOptions(command);
}
