/** The agent engines that come with tacho, in the order in which they are listed to people. */
export const ENGINE_NAMES = ['codex', 'gemini', 'claude', 'opencode', 'qwen', 'pi', 'iflow', 'agent', 'demo'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

/** The name of an engine: one of ours, or one that the configuration defines. It is part of run ids. */
export const ENGINE_NAME_PATTERN = /^[a-z][a-z0-9_-]{0,39}$/;

/** Engines without a prompt: any command, and a session of the terminal runtime. */
const OTHER_ENGINES: readonly string[] = ['text', 'terminal'];

/** Whether tacho has an engine of this name itself, so that no definition can. */
export function isOwnEngine(name: string): boolean {
  return (ENGINE_NAMES as readonly string[]).includes(name) || OTHER_ENGINES.includes(name);
}
