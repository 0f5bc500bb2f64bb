import { MCP_SOURCE_VARIABLE } from '../../skills/sources/mcp-source.ts';
import type { OpenedSource, OpenSourceOptions, SourceTool } from '../tool-source.ts';
import { digestOf, partDigests, type SpecPart } from '../tool-spec.ts';
import { withValidSchemas } from './check-schemas.ts';
import type { ServerAddress } from './connection.ts';
import type { KnownTools, SpecDigests } from './known-tools.ts';
import type { ListedTool } from './list-tools.ts';
import type { McpServerOptions } from './mcp-server.ts';
import { ServerLink } from './server-link.ts';

const MAX_NAMED = 5;

/** Starts or reaches a server and takes its tools. Throws what is wrong, after everything that was started has ended. */
export async function openServer(
  options: McpServerOptions & { timeoutMs: number },
  opening: OpenSourceOptions,
): Promise<OpenedSource> {
  const { name, command, url, tools: wanted = ['*'], timeoutMs, knownTools } = options;
  const link = new ServerLink({ server: name, address: addressOf(options, opening), wanted, timeoutMs });
  try {
    const { tools, leftOut } = await withValidSchemas(await link.open(opening.signal));
    const identity = digestOf([name, command ?? url]);
    const known = await acceptedBefore(knownTools, identity);
    const problems = [
      ...leftOut.slice(0, MAX_NAMED),
      ...(leftOut.length > MAX_NAMED ? [`and ${leftOut.length - MAX_NAMED} more`] : []),
    ];
    if (known.problem !== null) problems.push(known.problem);
    return {
      tools: tools.map((tool) => sourceTool(tool, { link, changed: known.changes(tool), knownTools, identity })),
      problem: problems.length === 0 ? undefined : problems.join('; '),
      close: () => link.close(),
    };
  } catch (error) {
    await link.close();
    throw error;
  }
}

interface ToolParts {
  link: ServerLink;
  changed: readonly SpecPart[];
  knownTools: KnownTools | undefined;
  identity: string;
}

function sourceTool(listed: ListedTool, { link, changed, knownTools, identity }: ToolParts): SourceTool {
  const { tool, name, description, parameters } = listed;
  return {
    name,
    description,
    parameters,
    ...(changed.length > 0 ? { changed } : {}),
    current: (signal) => link.current(tool, signal),
    accept: async (spec) => await knownTools?.accept(identity, name, partDigests(spec)),
    execute: (input, { signal, spec }) => link.call(tool, input, { signal, spec }),
  };
}

/** Compares tools with those that were accepted. If these are not known, every part counts as changed. */
async function acceptedBefore(
  knownTools: KnownTools | undefined,
  identity: string,
): Promise<{ problem: string | null; changes(tool: ListedTool): SpecPart[] }> {
  if (!knownTools) return { problem: null, changes: () => [] };
  let accepted: ReadonlyMap<string, SpecDigests>;
  try {
    accepted = await knownTools.accepted(identity);
  } catch (error) {
    return { problem: (error as Error).message, changes: () => ['description', 'parameters'] };
  }
  const changes = (tool: ListedTool): SpecPart[] => {
    const before = accepted.get(tool.name);
    const now = partDigests(tool);
    return before ? (['description', 'parameters'] as const).filter((part) => before[part] !== now[part]) : [];
  };
  return { problem: null, changes };
}

/** A program gets the variables of the agent, those that are meant for it, and the two that programs need to be found. */
function addressOf({ command, url, token, env }: McpServerOptions, opening: OpenSourceOptions): ServerAddress {
  if (command === undefined) return { url: new URL(url!), token };
  const { PATH = '/usr/local/bin:/usr/bin:/bin', HOME = '/' } = process.env;
  const variables = { PATH, HOME, ...opening.env, ...env, [MCP_SOURCE_VARIABLE]: '1' };
  return { argv: command, cwd: opening.workspaceRoot, env: variables };
}
