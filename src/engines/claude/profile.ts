import type { EngineProfile } from '../engine.ts';
import { CLAUDE_PARSER, CLAUDE_PARSER_VERSION, createClaudeParser } from './parser.ts';
import { CLAUDE_PATTERNS } from './patterns.ts';
import { claudeTranscript } from './transcript/format.ts';

const TRUST = {
  path: '.claude.json',
  content: { hasCompletedOnboarding: true, projects: { '{workspace}': { hasTrustDialogAccepted: true } } },
};

function launch({ partialMessages }: { partialMessages: readonly string[] }) {
  const common = [
    '-p',
    '--output-format',
    'stream-json',
    // Without it there is no stream in this format.
    '--verbose',
    ...partialMessages,
    '--dangerously-skip-permissions',
    // Its question would never be answered. In one word: the option takes as many as follow it.
    '--disallowedTools=AskUserQuestion',
    { when: 'model', words: ['--model', '{model}'] },
    { when: 'skills', words: ['--add-dir={skills}/project'] },
    { engineArguments: true as const },
  ];
  return {
    start: [...common, '--', '{prompt}'],
    resume: [...common, '--resume', '{session}', '--', '{prompt}'],
  };
}

export const claude: EngineProfile = {
  name: 'claude',
  title: 'Claude Code',
  command: 'claude',
  install: { package: '@anthropic-ai/claude-code', version: '2.1.325' },
  testedVersions: ['2.0.59', '2.1.197', '2.1.325'],
  ...launch({ partialMessages: ['--include-partial-messages'] }),
  older: [
    {
      before: '1.0.109',
      ...launch({ partialMessages: [] }),
      // It ends with an exception for a project that it knows but that has no list of tools.
      files: [{ ...TRUST, defaults: { projects: { '{workspace}': { allowedTools: [] } } } }],
    },
  ],
  formats: null,
  environment: {
    set: {
      // Else it refuses to go without permissions as root.
      IS_SANDBOX: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
    },
    take: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'ANTHROPIC_BASE_URL',
      'ANTHROPIC_MODEL',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_MAX_RETRIES',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
      'AWS_REGION',
      'AWS_PROFILE',
    ],
    withBaseUrl: { ANTHROPIC_BASE_URL: '{base_url}' },
  },
  placeholderKey: 'ANTHROPIC_API_KEY',
  files: [TRUST],
  credentialFiles: ['.claude/.credentials.json'],
  signIn: {
    variables: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
    ],
    files: ['.claude/.credentials.json'],
    settings: ['.claude/settings.json', '.claude/settings.local.json', '/etc/claude-code/managed-settings.json'],
    // The key of a Console account.
    unlessSet: { file: '.claude.json', keys: ['primaryApiKey'] },
    login: ['auth', 'login'],
    required: true,
  },
  skillFolders: { project: ['.claude/skills'], user: ['.claude/skills'] },
  runSkills: { at: 'project/.claude/skills' },
  capabilities: { resume: true, questions: false, approvals: false, usage: true, deltas: true },
  signals: { started: ['init'], terminal: ['result'], failed: ['result.error'] },
  terminalBy: 'engine',
  patterns: CLAUDE_PATTERNS,
  parser: { name: CLAUDE_PARSER, version: CLAUDE_PARSER_VERSION, create: createClaudeParser },
  sessions: claudeTranscript,
};
