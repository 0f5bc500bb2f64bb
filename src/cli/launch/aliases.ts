import { ENGINE_NAMES } from '../../protocol/engine-names.ts';

/** Aliases of commands. */
export const ALIASES: Readonly<Record<string, readonly string[]>> = {
  ls: ['runs'],
  list: ['runs'],
  ps: ['runs', '--live'],
  version: ['--version'],
  '-v': ['--version'],
};

/** Engines whose name alone starts a run. Commands with the same names (`agent`, `demo`) take precedence. */
export const ENGINE_WORDS: readonly string[] = ENGINE_NAMES.filter((name) => name !== 'agent' && name !== 'demo');

/** The command line with aliases replaced by registered names: `tacho codex "fix it"` is a run. */
export function expandAlias(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === undefined) return argv;
  if (Object.hasOwn(ALIASES, first)) return [...ALIASES[first]!, ...rest];
  return ENGINE_WORDS.includes(first) ? ['run', ...argv] : argv;
}
