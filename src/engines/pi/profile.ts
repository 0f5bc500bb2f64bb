import type { EngineProfile } from '../engine.ts';
import { createPiParser, PI_PARSER, PI_PARSER_VERSION } from './parser.ts';
import { PI_PATTERNS } from './patterns.ts';
import { piSession } from './session/format.ts';

/** Named after what it is, since runs share the file it stands in and may use several. */
const LOCAL_PROVIDER = '{base_url} {model|demo-model}';

const COMMON = [
  '--mode',
  'json',
  { when: 'base_url', words: ['--provider', LOCAL_PROVIDER, '--model', '{model|demo-model}'] },
  { when: 'model', unless: 'base_url', words: ['--model', '{model}'] },
  { when: 'skills', words: ['--skill', '{skills}/skills'] },
  { engineArguments: true as const },
];

/** A first character of its own: pi takes a prompt that begins with - for options, with @ for a file, with / for a command. */
const PROMPT = ['-p', ' {prompt}'];

const KEYS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'OPENROUTER_API_KEY',
  'OPENCODE_API_KEY',
];

export const pi: EngineProfile = {
  name: 'pi',
  title: 'Pi',
  command: 'pi',
  // Before 0.74 it was @mariozechner/pi-coding-agent; those installations still work.
  install: { package: '@earendil-works/pi-coding-agent', version: '0.87.1', needsNode: '>=22.19.0' },
  testedVersions: ['0.70.6', '0.73.1', '0.87.1'],
  start: [...COMMON, ...PROMPT],
  resume: [...COMMON, '--session', '{session}', ...PROMPT],
  formats: null,
  environment: {
    set: { PI_CODING_AGENT_DIR: '{home}/.pi/agent', PI_OFFLINE: '1', PI_TELEMETRY: '0' },
    take: [...KEYS, 'TACHO_MODEL_KEY'],
    withBaseUrl: {},
  },
  placeholderKey: 'TACHO_MODEL_KEY',
  files: [
    {
      path: '.pi/agent/models.json',
      when: 'base_url',
      content: {
        providers: {
          [LOCAL_PROVIDER]: {
            baseUrl: '{base_url}/v1',
            api: 'openai-completions',
            // The name of a variable: pi looks it up.
            apiKey: 'TACHO_MODEL_KEY',
            // Not every server that speaks the protocol knows these two.
            compat: { supportsDeveloperRole: false, supportsReasoningEffort: false },
            models: [{ id: '{model|demo-model}' }],
          },
        },
      },
    },
  ],
  credentialFiles: ['.pi/agent/auth.json'],
  signIn: {
    variables: KEYS,
    files: ['.pi/agent/auth.json'],
    settings: [],
    login: [],
    hint: 'Type /login, then leave with /quit.',
    // Its models.json may name model servers that need no key.
    required: false,
  },
  skillFolders: {
    project: ['.pi/skills', '.agents/skills'],
    user: ['.pi/agent/skills', '.agents/skills'],
  },
  runSkills: {},
  capabilities: { resume: true, questions: false, approvals: false, usage: true, deltas: true },
  signals: {
    started: ['agent_start'],
    terminal: ['agent_end'],
    failed: ['agent_end.error', 'agent_end.aborted', 'message_end.error', 'message_end.aborted'],
  },
  terminalBy: 'engine',
  patterns: PI_PATTERNS,
  parser: { name: PI_PARSER, version: PI_PARSER_VERSION, create: createPiParser },
  sessions: piSession,
};
