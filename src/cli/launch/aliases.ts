/** Other words for commands, with the words they stand for. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  ls: ['runs'],
  list: ['runs'],
  ps: ['runs', '--live'],
  version: ['--version'],
  '-v': ['--version'],
};

/**
 * Engines whose name alone starts a run. A command with the name of an engine (`demo`) wins. Listed here because the
 * launcher must not load the engines.
 */
export const ENGINE_WORDS: readonly string[] = ['codex', 'gemini', 'claude', 'opencode', 'qwen', 'pi', 'iflow'];

/** The command line in the names under which commands are registered: `tacho codex "fix it"` is a run. */
export function expandAlias(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === undefined) return argv;
  if (Object.hasOwn(ALIASES, first)) return [...ALIASES[first]!, ...rest];
  return ENGINE_WORDS.includes(first) ? ['run', ...argv] : argv;
}
