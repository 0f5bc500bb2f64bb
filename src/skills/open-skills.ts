import path from 'node:path';
import type { Config } from '../config/index.ts';
import { TachoError } from '../protocol/index.ts';
import type { SkillSpace } from './scan-spaces.ts';
import { SkillLibrary } from './skill-library.ts';
import type { SkillSource } from './skill-source.ts';
import { FilesystemSkillSource } from './sources/filesystem-source.ts';
import { McpSkillSource } from './sources/mcp-source.ts';
import { MemorySkillSource } from './sources/memory-source.ts';
import { PostgresSkillSource } from './sources/postgres-source.ts';
import { RedisSkillSource } from './sources/redis-source.ts';

export interface OpenSkillsRequest {
  settings: Config['skills'];
  /** Where relative paths start. */
  workspaceRoot: string;
  /** Holds the connection strings that the settings name. */
  env: Readonly<Record<string, string | undefined>>;
  /** Further sources, by their ids: of the program itself, or in the place of a configured one of type memory. */
  sources?: readonly SkillSource[];
  /** Spaces besides those of the settings, which replace one with the same namespace. */
  spaces?: readonly SkillSpace[];
}

/** The skills of a configuration. Connects to nothing yet. Throws CONFIG_INVALID if a space names an unknown source. */
export function openSkills(request: OpenSkillsRequest): SkillLibrary {
  const { settings, spaces = [] } = request;
  const sources = new Map((request.sources ?? []).map((source) => [source.id, source]));
  const configured = settings.spaces.map((space, index): SkillSpace => {
    const found = space.sources.map((id) => {
      const source = sources.get(id) ?? createConfigured(id, request);
      if (!source) throw unknownSource(id, index, request);
      sources.set(id, source);
      return source;
    });
    return { namespace: space.namespace, enabled: space.enabled, sources: found };
  });
  const replaced = new Set(configured.map(({ namespace }) => namespace));
  const others = spaces.filter(({ namespace }) => !replaced.has(namespace));
  return new SkillLibrary({ spaces: [...configured, ...others], settings });
}

type SourceSettings = Config['skills']['sources'][number];

function createConfigured(id: string, request: OpenSkillsRequest): SkillSource | undefined {
  const source = request.settings.sources.find((one) => one.id === id);
  return source && createSource(source, request);
}

function createSource(source: SourceSettings, { settings, workspaceRoot, env }: OpenSkillsRequest): SkillSource {
  const timeoutMs = settings.source_timeout_ms;
  const variable = source.dsn_env ?? '';
  const dsn = { variable, read: () => env[variable] };
  switch (source.type) {
    case 'filesystem':
      return new FilesystemSkillSource(source.id, path.resolve(workspaceRoot, source.root!));
    case 'memory':
      return new MemorySkillSource(source.id);
    case 'redis':
      return new RedisSkillSource(source.id, { dsn, timeoutMs, prefix: source.prefix });
    case 'postgres':
      return new PostgresSkillSource(source.id, { dsn, timeoutMs, schema: source.schema, table: source.table });
    case 'mcp': {
      const token = () => (source.token_env === undefined ? undefined : env[source.token_env]);
      const { command, url } = source;
      return new McpSkillSource(source.id, { command, url, token, timeoutMs, cwd: workspaceRoot });
    }
  }
}

function unknownSource(id: string, space: number, { settings, sources = [] }: OpenSkillsRequest): TachoError {
  const known = [...settings.sources, ...sources].map((source) => source.id);
  return new TachoError(
    'CONFIG_INVALID',
    `skills.spaces[${space}].sources names the source "${id}", which does not exist`,
    {
      facts: { path: `skills.spaces[${space}].sources`, source: id, known },
      fix: `Add it to skills.sources. Sources are: ${known.join(', ') || 'none'}`,
    },
  );
}
