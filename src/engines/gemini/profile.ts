import type { EngineProfile } from '../engine.ts';
import { createGeminiParser, GEMINI_PARSER, GEMINI_PARSER_VERSION } from './parser.ts';
import { GEMINI_PATTERNS } from './patterns.ts';

const COMMON = [
  // Else tools that write or run something are not even offered to the model.
  '--approval-mode',
  'yolo',
  '--output-format',
  '{format}',
  { when: 'model', words: ['--model', '{model}'] },
];
/** One word, so that a prompt with a dash in front is not taken as an option. */
const PROMPT = [{ engineArguments: true as const }, '--prompt={prompt}'];

export const gemini: EngineProfile = {
  name: 'gemini',
  title: 'Gemini CLI',
  command: 'gemini',
  install: { package: '@google/gemini-cli', version: '0.61.0' },
  testedVersions: ['0.25.0', '0.35.2', '0.61.0'],
  start: [...COMMON, ...PROMPT],
  resume: [...COMMON, '--resume', '{session}', ...PROMPT],
  older: [
    { before: '0.6.1', unsupported: 'cannot print JSON, which tacho reads' },
    { before: '0.11.3', formats: ['json'], resume: null },
    { before: '0.16.0', resume: null },
  ],
  formats: ['stream-json', 'json'],
  environment: {
    // Else it starts itself again as a child, and complains about the terminal's colours.
    set: { GEMINI_CLI_NO_RELAUNCH: 'true', COLORTERM: 'truecolor' },
    take: [
      'GEMINI_API_KEY',
      'GOOGLE_API_KEY',
      'GOOGLE_GEMINI_BASE_URL',
      'GOOGLE_CLOUD_PROJECT',
      'GOOGLE_CLOUD_LOCATION',
      'GOOGLE_GENAI_USE_VERTEXAI',
    ],
    withBaseUrl: { GOOGLE_GEMINI_BASE_URL: '{base_url}' },
    withSkills: { GEMINI_CLI_HOME: '{skills}/home' },
  },
  placeholderKey: 'GEMINI_API_KEY',
  files: [
    {
      path: '.gemini/settings.json',
      content: {
        general: {
          disableAutoUpdate: true,
          disableUpdateNag: true,
          enableAutoUpdate: false,
          enableAutoUpdateNotification: false,
        },
        security: { folderTrust: { enabled: true } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      },
      defaults: { security: { auth: { selectedType: 'gemini-api-key' } } },
    },
    // In a folder it does not trust it refuses to run.
    { path: '.gemini/trustedFolders.json', content: { '{workspace}': 'TRUST_FOLDER' } },
  ],
  credentialFiles: ['.gemini/oauth_creds.json', '.gemini/google_accounts.json', '.gemini/gemini-credentials.json'],
  signIn: {
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'],
    files: ['.gemini/oauth_creds.json', '.gemini/gemini-credentials.json'],
    // It reads keys from these files itself.
    settings: ['.gemini/.env', '.env', '/etc/gemini-cli/settings.json'],
    settingsInAnyFolder: true,
    unlessSet: { file: '.gemini/settings.json', keys: ['security', 'auth', 'selectedType'], usual: 'gemini-api-key' },
    login: [],
    hint: 'Choose how to sign in, then leave with /quit.',
    required: true,
  },
  skillFolders: {
    project: ['.gemini/skills', '.agents/skills'],
    user: ['.gemini/skills', '.agents/skills'],
  },
  runSkills: { at: 'home/.agents/skills', showsHome: true },
  capabilities: { resume: true, questions: false, approvals: false, usage: true, deltas: true },
  signals: { started: ['init'], terminal: ['result', 'response'], failed: ['result.error', 'error'] },
  terminalBy: 'engine',
  patterns: GEMINI_PATTERNS,
  parser: { name: GEMINI_PARSER, version: GEMINI_PARSER_VERSION, create: createGeminiParser },
};
