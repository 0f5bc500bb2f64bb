import type { EngineProfile } from '../engine.ts';
import { CODEX_PARSER, CODEX_PARSER_VERSION, createCodexParser } from './parser.ts';
import { CODEX_PATTERNS } from './patterns.ts';
import { codexRollout } from './rollout/format.ts';

/** Set by flags, not by a file: two runs at once do not share them, and the user's own config.toml stays whole. */
const SETTINGS = [
  '-c',
  'check_for_update_on_startup=false',
  '-c',
  'analytics.enabled=false',
  '-c',
  'otel.metrics_exporter="none"',
  // Else it contacts other services and waits for them at the end.
  '-c',
  'features.plugins=false',
  '-c',
  'features.apps=false',
];

const PROVIDER = {
  when: 'base_url',
  words: [
    '-c',
    'model_provider="tacho"',
    '-c',
    'model_providers.tacho={name="Local",base_url="{base_url}/v1",env_key="TACHO_MODEL_KEY",wire_api="responses",request_max_retries=2,stream_max_retries=2}',
  ],
};

const COMMON = [
  '--json',
  // The check ignores trust; and a run folder is not a repository.
  '--skip-git-repo-check',
  '--dangerously-bypass-approvals-and-sandbox',
  ...SETTINGS,
  '-c',
  'projects.{workspace:quoted}.trust_level="trusted"',
  PROVIDER,
  { when: 'model', words: ['--model', '{model}'] },
  { engineArguments: true as const },
];

export const codex: EngineProfile = {
  name: 'codex',
  title: 'Codex CLI',
  command: 'codex',
  install: { package: '@openai/codex', version: '0.166.0' },
  testedVersions: ['0.80.0', '0.113.0', '0.166.0'],
  start: ['exec', ...COMMON, '--', '{prompt}'],
  resume: ['exec', 'resume', ...COMMON, '--', '{session}', '{prompt}'],
  formats: null,
  environment: {
    set: { CODEX_HOME: '{home}/.codex' },
    take: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'CODEX_API_KEY', 'TACHO_MODEL_KEY'],
    withBaseUrl: {},
    // It has no option for further skills; CODEX_HOME stays the same.
    withSkills: { HOME: '{skills}/home' },
  },
  placeholderKey: 'TACHO_MODEL_KEY',
  files: [],
  folders: ['.codex'],
  credentialFiles: ['.codex/auth.json'],
  signIn: {
    // `codex exec` does not use OPENAI_API_KEY.
    variables: ['CODEX_API_KEY'],
    files: ['.codex/auth.json'],
    // A model provider of the user's own may need no key.
    settings: ['.codex/config.toml', '/etc/codex/config.toml'],
    login: ['login'],
    required: true,
  },
  skillFolders: {
    project: ['.codex/skills', '.agents/skills'],
    user: ['.codex/skills', '.agents/skills'],
  },
  runSkills: { at: 'home/.agents/skills', showsHome: true, mark: '$' },
  capabilities: { resume: true, questions: false, approvals: false, usage: true, deltas: false },
  signals: { started: ['turn.started'], terminal: ['turn.completed'], failed: ['turn.failed'] },
  terminalBy: 'engine',
  patterns: CODEX_PATTERNS,
  parser: { name: CODEX_PARSER, version: CODEX_PARSER_VERSION, create: createCodexParser },
  sessions: codexRollout,
};
