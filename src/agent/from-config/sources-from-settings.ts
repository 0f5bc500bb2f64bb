import { nameMatcher } from '../../config/index.ts';
import type { ToolSource } from '../../tools/index.ts';
import { filterSource } from '../../tools/tool-source.ts';
import type { AgentSettings } from './agent-settings.ts';

/** The MCP servers that the settings name, with the tools that they enable. Nothing is started here. */
export async function sourcesFromSettings({
  mcpServers,
  tools,
  dataFolder,
}: Pick<AgentSettings, 'mcpServers' | 'tools' | 'dataFolder'>): Promise<ToolSource[]> {
  if (mcpServers.length === 0) return [];
  const { knownToolsIn, mcpServer } = await import('../../tools/mcp/index.ts');
  const knownTools = knownToolsIn(dataFolder);
  const [isEnabled, isDisabled] = [nameMatcher(tools.enabled), nameMatcher(tools.disabled)];
  return mcpServers.map(({ name, command, url, token, tools: wanted, timeoutMs }) => {
    const address = command === null ? { url: url!, token: token?.reveal() } : { command };
    const source = mcpServer({ name, ...address, tools: wanted, timeoutMs, knownTools });
    return filterSource(source, (tool) => isEnabled(tool) && !isDisabled(tool));
  });
}
