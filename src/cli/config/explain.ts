import { explainConfig, findConfigKey } from '../../config/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { fitLine } from '../output/fit-line.ts';
import { paint } from '../output/paint.ts';
import { loadHere } from './load-here.ts';

/** `tacho config explain` */
export function explainCommand(key: string | undefined, options: CommonOptions): void {
  const loaded = loadHere(options);
  const lines = explainConfig(loaded, key);
  if (!options.json) {
    const shown = lines.map((line) => fitLine(line.replace(/ ← .*/s, paint.dim), process.stdout, 4));
    process.stdout.write(`${shown.join('\n')}\n`);
    return;
  }
  const { path } = findConfigKey(key ?? '');
  const isAskedFor = (one: { path: string }) => path === '' || `${one.path}.`.startsWith(`${path}.`);
  const { trusted, needsTrust } = loaded.workspace;
  const origins = loaded.origins.filter(isAskedFor);
  const ignored = [...(trusted ? [] : needsTrust), ...loaded.overruled].filter(isAskedFor);
  process.stdout.write(`${JSON.stringify({ origins, ignored })}\n`);
}
