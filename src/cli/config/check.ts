import { checkConfig } from '../../config/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { count } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { here } from './load-here.ts';

/** `tacho config check`; returns the exit code. */
export function checkCommand(file: string | undefined, options: CommonOptions): number {
  const problems = checkConfig(here(options), file);
  if (options.json) {
    const found = problems.map(({ source: { name, line = null, col = null }, ...problem }) => {
      return { ...problem, file: name, line, col };
    });
    process.stdout.write(`${JSON.stringify({ problems: found })}\n`);
  } else if (problems.length === 0) {
    process.stdout.write(`${paint.green('✔')} ${file ?? 'the configuration'} has no problems\n`);
  } else {
    const lines = problems.map(({ message }) => message);
    process.stdout.write(`${lines.join('\n')}\n${paint.red('✘')} ${count(problems.length, 'problem')}\n`);
  }
  return problems.length === 0 ? 0 : 1;
}
