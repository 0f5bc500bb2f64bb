import type { EngineProfile } from '../engine.ts';
import { createOpencodeParser, OPENCODE_PARSER, OPENCODE_PARSER_VERSION } from './parser.ts';
import { OPENCODE_PATTERNS } from './patterns.ts';

/** In the environment, not in a file: two runs at once may use two servers. */
const LOCAL_PROVIDER = JSON.stringify({
  enabled_providers: ['tacho'],
  small_model: 'tacho/{model|demo-model}',
  provider: {
    tacho: {
      npm: '@ai-sdk/openai-compatible',
      name: 'Local',
      options: { baseURL: '{base_url}/v1', apiKey: '{env:TACHO_MODEL_KEY}' },
      models: { '{model|demo-model}': { limit: { context: 128_000, output: 32_000 } } },
    },
  },
});

/**
 * The only way in which every prompt arrives as it is. As a plain argument one with spaces is put into quotes, one that
 * is a number is a crash, one that begins with a dash an option. So it goes in pieces without spaces, which the engine
 * puts together with spaces; the quotes are taken off again by the reader of its options.
 */
const PROMPT = { when: 'prompt', cutAt: ' ', words: ['--message="{prompt}"'] };

const PERMISSIONS = { '*': 'allow', question: 'deny' };

/** Options that not every version has. */
interface Flags {
  thinking: readonly string[];
  /** Otherwise a permission that has to be asked for is refused, since no one answers; what is denied stays denied. */
  approve: readonly string[];
}

function launch({ thinking, approve }: Flags) {
  const common = [
    'run',
    '--format',
    'json',
    ...thinking,
    ...approve,
    { when: 'base_url', words: ['--model', 'tacho/{model|demo-model}'] },
    { when: 'model', unless: 'base_url', words: ['--model', '{model}'] },
    { engineArguments: true as const },
  ];
  return { start: [...common, PROMPT], resume: [...common, '--session', '{session}', PROMPT] };
}

function settings(permission: Readonly<Record<string, string>>) {
  const content = { autoupdate: false, share: 'disabled', permission };
  return [{ path: '.config/opencode/opencode.json', content }];
}

export const opencode: EngineProfile = {
  name: 'opencode',
  title: 'OpenCode',
  command: 'opencode',
  install: { package: 'opencode-ai', version: '1.18.33' },
  testedVersions: ['1.0.152', '1.3.0', '1.14.41', '1.18.33'],
  ...launch({ thinking: ['--thinking'], approve: ['--auto'] }),
  older: [
    { before: '1.0.0', unsupported: 'cannot print JSON, which tacho reads' },
    {
      before: '1.1.53',
      ...launch({ thinking: [], approve: [] }),
      // Permissions have to be named one by one.
      files: settings({
        edit: 'allow',
        bash: 'allow',
        webfetch: 'allow',
        doom_loop: 'allow',
        external_directory: 'allow',
        ...PERMISSIONS,
      }),
    },
    { before: '1.14.34', ...launch({ thinking: ['--thinking'], approve: [] }) },
    { before: '1.17.18', ...launch({ thinking: ['--thinking'], approve: ['--dangerously-skip-permissions'] }) },
  ],
  formats: null,
  environment: {
    set: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    take: [
      'OPENAI_API_KEY',
      'ANTHROPIC_API_KEY',
      'GEMINI_API_KEY',
      'OPENROUTER_API_KEY',
      'OPENCODE_API_KEY',
      'TACHO_MODEL_KEY',
    ],
    // A list of models and plugins that log in are needed with real services only, and are fetched from them.
    withBaseUrl: {
      OPENCODE_CONFIG_CONTENT: LOCAL_PROVIDER,
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    },
    withSkills: { OPENCODE_CONFIG_DIR: '{skills}' },
  },
  placeholderKey: 'TACHO_MODEL_KEY',
  files: settings(PERMISSIONS),
  credentialFiles: ['.local/share/opencode/auth.json'],
  signIn: {
    variables: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', 'OPENCODE_API_KEY'],
    files: ['.local/share/opencode/auth.json'],
    settings: [],
    login: ['auth', 'login'],
    // Some of its models are free.
    required: false,
  },
  skillFolders: {
    project: ['.opencode/skill', '.opencode/skills', '.claude/skills', '.agents/skills'],
    user: ['.config/opencode/skill', '.config/opencode/skills', '.opencode/skills', '.claude/skills', '.agents/skills'],
  },
  runSkills: {},
  capabilities: { resume: true, questions: false, approvals: false, usage: true, deltas: false },
  signals: { started: ['step_start'], terminal: ['step_finish.stop'], failed: ['error'] },
  terminalBy: 'engine',
  patterns: OPENCODE_PATTERNS,
  parser: { name: OPENCODE_PARSER, version: OPENCODE_PARSER_VERSION, create: createOpencodeParser },
};
