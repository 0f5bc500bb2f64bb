import { configValue, explainOrigin, formatValue } from '../../config/index.ts';
import type { GetOptions } from '../commands/config.ts';
import { loadHere } from './load-here.ts';

/** `tacho config get`: prints strings unquoted, for scripts; everything else as JSON on one line. */
export function getCommand(key: string, options: GetOptions): void {
  const { value, origins } = configValue(loadHere(options), key);
  process.stdout.write(`${options.json ? asJson() : asText()}\n`);

  function asJson(): string {
    return JSON.stringify(options.origin ? { value, origins } : value);
  }

  function asText(): string {
    if (options.origin) return origins.map(explainOrigin).join('\n');
    return typeof value === 'string' ? value : formatValue(value);
  }
}
