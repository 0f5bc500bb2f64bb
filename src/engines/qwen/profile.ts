import type { EngineProfile } from '../engine.ts';
import { createQwenParser, QWEN_PARSER, QWEN_PARSER_VERSION } from './parser.ts';
import { QWEN_PATTERNS } from './patterns.ts';

const COMMON = [
  '--approval-mode',
  'yolo',
  '--output-format',
  'stream-json',
  '--include-partial-messages',
  { when: 'model', words: ['--model', '{model}'] },
  { engineArguments: true as const },
];

/**
 * As a word of its own a prompt with a leading dash would be an option; and the quotes are taken off again, which
 * would else happen to those of a prompt that stands in quotes.
 */
const PROMPT = '--prompt="{prompt}"';

export const qwen: EngineProfile = {
  name: 'qwen',
  title: 'Qwen Code',
  command: 'qwen',
  install: { package: '@qwen-code/qwen-code', version: '0.24.4', needsNode: '>=22.0.0' },
  testedVersions: ['0.10.1', '0.15.10', '0.24.4'],
  start: [...COMMON, PROMPT],
  resume: [...COMMON, '--resume', '{session}', PROMPT],
  older: [{ before: '0.5.0', unsupported: 'cannot print JSON, which tacho reads' }],
  formats: null,
  environment: {
    set: { QWEN_CODE_NO_RELAUNCH: 'true', QWEN_CODE_SUPPRESS_YOLO_WARNING: '1' },
    take: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL', 'DASHSCOPE_API_KEY', 'QWEN_MODEL'],
    withBaseUrl: { OPENAI_BASE_URL: '{base_url}/v1' },
    withSkills: { HOME: '{skills}/home' },
  },
  placeholderKey: 'OPENAI_API_KEY',
  files: [
    {
      path: '.qwen/settings.json',
      content: {
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        // Not by its flag: given twice, as an engine argument too, that is a crash.
        security: { auth: { selectedType: 'openai' } },
        // Otherwise it sends further requests of its own after the answer, and makes `.qwen/` in the workspace for skills
        // that it writes itself.
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false, enableAutoSkill: false },
      },
    },
    { path: '.qwen/trustedFolders.json', content: { '{workspace}': 'TRUST_FOLDER' } },
  ],
  credentialFiles: ['.qwen/oauth_creds.json'],
  signIn: {
    variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'],
    files: ['.qwen/oauth_creds.json'],
    settings: [],
    login: ['auth'],
    // Its settings may hold keys and model servers of the user's own.
    required: false,
  },
  skillFolders: { project: ['.qwen/skills', '.agents/skills'], user: ['.qwen/skills', '.agents/skills'] },
  runSkills: { at: 'home/.agents/skills', showsHome: true },
  capabilities: { resume: true, questions: false, approvals: false, usage: true, deltas: true },
  signals: { started: ['init'], terminal: ['result'], failed: ['result.error'] },
  terminalBy: 'engine',
  patterns: QWEN_PATTERNS,
  mark: /"qwen_code_version"/,
  parser: { name: QWEN_PARSER, version: QWEN_PARSER_VERSION, create: createQwenParser },
};
