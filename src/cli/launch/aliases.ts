import { ENGINE_NAMES } from '../../protocol/engine-names.ts';

/** Aliases of commands. */
export const ALIASES: Readonly<Record<string, readonly string[]>> = {
  ls: ['runs'],
  list: ['runs'],
  ps: ['runs', '--live'],
  version: ['--version'],
  '-v': ['--version'],
};

/** Commands with the name of an engine, which take precedence: `tacho run agent` starts the engine. */
const COMMANDS: readonly string[] = ['agent', 'demo'];

/** Engines whose name alone starts a run. */
export const ENGINE_WORDS: readonly string[] = ENGINE_NAMES.filter((name) => !COMMANDS.includes(name));

/** The command line with aliases replaced by registered names: `tacho codex "fix it"` is a run. */
export function expandAlias(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === undefined) return argv;
  if (Object.hasOwn(ALIASES, first)) return [...ALIASES[first]!, ...rest];
  return ENGINE_WORDS.includes(first) ? ['run', ...argv] : argv;
}
