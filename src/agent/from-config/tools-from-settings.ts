import { nameMatcher, nearest } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { RuntimeParts, Tool } from '../../tools/index.ts';
import type { AgentSettings } from './agent-settings.ts';

/** The built-in tools that the settings enable. Throws CONFIG_INVALID for a misspelled name. */
export async function toolsFromSettings(
  { tools }: Pick<AgentSettings, 'tools'>,
  { runtime = false }: { runtime?: RuntimeParts | boolean | undefined },
): Promise<Tool[]> {
  const { builtinTools } = await import('../../tools/builtin/index.ts');
  const all = builtinTools({ skills: true, runtime: true });
  for (const key of ['enabled', 'disabled'] as const) checkNames(`tools.${key}`, tools[key], all);
  const [isEnabled, isDisabled] = [nameMatcher(tools.enabled), nameMatcher(tools.disabled)];
  return builtinTools({ skills: true, runtime }).filter(({ name }) => isEnabled(name) && !isDisabled(name));
}

/** Tools of MCP servers have names that are not known here; a name like that of a built-in tool is a mistake. */
function checkNames(key: string, names: readonly string[], tools: readonly Tool[]): void {
  const known = tools.map(({ name }) => ({ word: name }));
  for (const name of names) {
    if (name.includes('*') || known.some(({ word }) => word === name)) continue;
    const near = nearest(name, known)?.word;
    if (near === undefined) continue;
    throw new TachoError('CONFIG_INVALID', `${key} names the tool "${name}", which does not exist`, {
      facts: { path: key, tool: name, suggestion: near },
      fix: `Did you mean ${near}?`,
    });
  }
}
