import * as z from 'zod';
import { SKILL_LAYERS, SKILL_TEXTS } from '../../protocol/skill/skill-layer.ts';
import { SKILL_NAMESPACE_PATTERN, SKILL_NAMESPACE_RULE } from '../../protocol/skill/skill-name.ts';
import { choice, duration, flag, integer, list, named, records, size, text, variableName } from '../field.ts';

const SOURCE_ID = /^[A-Za-z0-9][\w.-]{0,62}$/;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
const DAY_MS = 86_400_000;
const MAX_BYTES = 2 ** 30;

/** The keys that a source of each type may have, besides `id` and `type`. The first ones are required. */
const SOURCE_KEYS = {
  filesystem: { required: ['root'], optional: [] },
  memory: { required: [], optional: [] },
  redis: { required: ['dsn_env'], optional: ['prefix'] },
  postgres: { required: ['dsn_env'], optional: ['schema', 'table'] },
  mcp: { required: [], optional: ['command', 'url', 'token_env'] },
} as const satisfies Record<string, { required: readonly string[]; optional: readonly string[] }>;

type SourceType = keyof typeof SOURCE_KEYS;

const sourceSchema = z
  .strictObject({
    id: text('Name of the source, for `skills.spaces[].sources`.', {
      pattern: SOURCE_ID,
      accepts: 'a name of letters, digits, dots, dashes and underscores',
    }),
    type: choice(
      Object.keys(SOURCE_KEYS) as SourceType[],
      'Where its skills are; `memory` is filled by a program that uses tacho as a library.',
    ),
    root: text('filesystem: the folder with the skill folders; relative paths start at the workspace.', {
      pattern: /^[^\0]+$/,
      accepts: 'the path of a folder',
    }).optional(),
    dsn_env: variableName(
      'redis, postgres: the variable with the connection string, which is secret and so not part of the configuration.',
    ).optional(),
    prefix: text('redis: the beginning of all keys (default: skills:).', {
      pattern: /^[^\0]{0,200}$/,
      accepts: 'at most 200 characters',
    }).optional(),
    schema: text('postgres: the schema of the table (default: public).', {
      pattern: IDENTIFIER,
      accepts: 'a name of letters, digits and underscores',
    }).optional(),
    table: text('postgres: the table (default: skills).', {
      pattern: IDENTIFIER,
      accepts: 'a name of letters, digits and underscores',
    }).optional(),
    command: list('mcp: the program of a server that speaks over its streams, with its arguments.', {
      item: /^[^\0]*$/,
      of: 'words: a program and its arguments',
    }).optional(),
    url: text('mcp: the address of a server that speaks HTTP.', {
      pattern: /^https?:\/\/[^\s@]+$/,
      accepts: 'an http:// or https:// address without a user name or password',
    }).optional(),
    token_env: variableName('mcp with url: the variable with the bearer token.').optional(),
  })
  .check((context) => void context.issues.push(...wrongKeys(context.value)));

const spaceSchema = z.strictObject({
  namespace: text('Beginning of the mentions of its skills: team:product in `$[team:product].review`.', {
    pattern: SKILL_NAMESPACE_PATTERN,
    accepts: SKILL_NAMESPACE_RULE,
  }),
  enabled: flag('Whether its skills can be used.').default(true),
  sources: list('Ids of the sources its skills come from.', { item: SOURCE_ID, of: 'ids of skills.sources' }),
});

const textsSchema = z.record(
  z
    .string()
    .regex(new RegExp(`^(?:${Object.keys(SKILL_TEXTS).join('|')})$`), `one of ${Object.keys(SKILL_TEXTS).join(', ')}`),
  z.strictObject({
    file: text('The file with the text; relative paths start at the workspace.', {
      pattern: /^[^\0]+$/,
      accepts: 'the path of a file',
    }),
  }),
);

/** Where skills come from, and how much of them is handed to an agent. */
export const skillsSchema = z.strictObject({
  spaces: records(spaceSchema, 'Namespaces of skills, and the sources of each.', {
    of: '{namespace, enabled, sources}',
    unique: 'namespace',
  }),
  sources: records(sourceSchema, 'Where skills are kept: folders, databases, MCP servers.', {
    of: '{id, type, …}',
    unique: 'id',
  }),
  refresh: choice(
    ['always', 'ttl', 'manual'],
    'When sources are scanned again: before each use, when the last scan is older than skills.ttl_ms, or only on request.',
  ),
  ttl_ms: duration('How long the result of a scan is used when skills.refresh is ttl.', { min: 1, max: DAY_MS }),
  source_timeout_ms: duration('How long a source may take to answer; one that takes longer is left out.', {
    min: 10,
    max: 600_000,
  }),
  inject: choice(['mentioned', 'off'], 'Which skills are injected into a prompt: those that it mentions, or none.'),
  list_max_chars: integer('Maximum length of the list of skills in a prompt; 0 leaves the list out.', {
    min: 0,
    max: 1_000_000,
  }),
  body_max_bytes: size('Maximum size of the text of one skill.', { min: 1, max: MAX_BYTES }),
  inject_max_bytes: size('Maximum size of all skill texts in a prompt together.', { min: 1, max: MAX_BYTES }),
  layers: list(
    'Layers added to the skill of a run: where files go, how to finish, the fields of the result, and questions.',
    {
      item: new RegExp(`^(?:${SKILL_LAYERS.join('|')})$`),
      of: SKILL_LAYERS.join(', '),
    },
  ),
  texts: named(textsSchema, 'Your own texts of these layers, by the names of the texts they replace.', {
    of: '{file}',
  }),
});

/** Keys that the type of a source requires or does not have. */
function wrongKeys(source: z.output<typeof sourceSchema>): z.core.$ZodRawIssue[] {
  const { required, optional } = SOURCE_KEYS[source.type];
  const known: readonly string[] = [...required, ...optional];
  const given = Object.keys(source).filter((key) => key !== 'id' && key !== 'type');
  const issue = (key: string, complaint?: string): z.core.$ZodRawIssue => ({
    code: 'custom',
    path: [key],
    input: source,
    ...(complaint === undefined ? {} : { params: { complaint } }),
  });
  const has = known.length === 0 ? 'has no further keys' : `has ${known.join(', ')}`;
  const foreign = given.filter((key) => !known.includes(key));
  const missing: string[] = required.filter((key) => !given.includes(key));
  if (source.type === 'mcp' && (source.command === undefined) === (source.url === undefined)) {
    return [issue('command', 'is missing, or url is: an mcp source has exactly one of them')];
  }
  return [
    ...foreign.map((key) => issue(key, `cannot be used here: a ${source.type} source ${has}`)),
    ...missing.map((key) => issue(key)),
  ];
}
