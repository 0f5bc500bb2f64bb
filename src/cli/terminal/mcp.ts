import type { Config } from '../../config/index.ts';
import { ensureServer } from '../../runtime/index.ts';
import { serveMcp } from '../../runtime/mcp/serve-mcp.ts';
import type { SkillLibrary } from '../../skills/index.ts';
import type { McpCommandOptions } from '../commands/runtime.ts';
import { openContext } from '../context.ts';
import { warnOfWorkspace } from '../output/ignored-settings.ts';
import { readVersion } from '../version.ts';

/** `tacho mcp` */
export async function serveWorkspaceTools({ workspace = process.cwd() }: McpCommandOptions): Promise<void> {
  warnOfWorkspace(workspace);
  await serveMcp({
    streams: { input: process.stdin, output: process.stdout },
    client: ensureServer({ workspace }),
    version: readVersion(),
    openSkills: () => openSkillsOf(workspace),
    // Stdout belongs to the protocol; clients keep stderr for troubleshooting.
    onError: ({ message }) => process.stderr.write(`tacho: ${message}\n`),
  });
}

async function openSkillsOf(workspace: string): Promise<SkillLibrary> {
  const { MCP_SOURCE_VARIABLE, openLocalSkills } = await import('../../skills/index.ts');
  const { config, home } = openContext({ quiet: true }, { workspaceRoot: workspace });
  // A server that was started for its skills does not start others: one of them could be this one again.
  const isSource = process.env[MCP_SOURCE_VARIABLE] !== undefined;
  const skills = openLocalSkills({
    settings: isSource ? withoutMcp(config.skills) : config.skills,
    workspaceRoot: workspace,
    dataFolder: home.root,
    env: process.env,
  });
  // With `skills.refresh: manual` nothing else would ask the sources.
  await skills.scan();
  return skills;
}

function withoutMcp(settings: Config['skills']): Config['skills'] {
  const left = new Set(settings.sources.filter(({ type }) => type === 'mcp').map(({ id }) => id));
  return {
    ...settings,
    spaces: settings.spaces.map((space) => ({ ...space, sources: space.sources.filter((id) => !left.has(id)) })),
  };
}
