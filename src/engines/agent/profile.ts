import type { EngineProfile } from '../engine.ts';
import { AGENT_PARSER, AGENT_PARSER_VERSION, createAgentParser } from './parser.ts';
import { AGENT_PATTERNS } from './patterns.ts';
import { agentSession } from './session-format.ts';
import { AGENT_SIGNALS } from './signals.ts';

const COMMON = [
  'run',
  // It asks no questions, because there is no one to answer.
  { when: 'mode=auto', words: ['--unattended'] },
  { when: 'model', words: ['--model', '{model}'] },
  { when: 'base_url', words: ['--base-url', '{base_url}'] },
  { when: 'skills', words: ['--skills', '{skills}/skills', '--artifacts', '{skills}/artifacts'] },
  { engineArguments: true as const },
];

/** In one word with its name: a prompt may begin like an option. */
const PROMPT = '--prompt={prompt}';

/** Sections of the configuration that are about agents, as variables. */
const SETTINGS = ['LLM', 'MODELS', 'PROMPT', 'TOOLS', 'SAFETY', 'SANDBOX', 'SKILLS', 'ENVIRONMENT'];

/** Our own agent (`src/agent/`), with the user's configuration. Its session is an agent run in the workspace. */
export const agent: EngineProfile = {
  name: 'agent',
  title: 'Tachograph agent',
  command: 'tacho-agent',
  install: null,
  own: 'agent-engine',
  testedVersions: [],
  start: [...COMMON, PROMPT],
  resume: [...COMMON, '--session', '{session}', PROMPT],
  formats: null,
  environment: {
    // The home is the managed one, but settings and policy are the user's.
    set: { TACHO_HOME: '{data}' },
    take: [
      ...['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'TACHO_MODEL_KEY', 'TACHO_CONFIG_PATHS'],
      ...SETTINGS.map((section) => `TACHO_${section}_*`),
    ],
    takesConfiguredKeys: true,
    withBaseUrl: {},
  },
  placeholderKey: null,
  files: [],
  credentialFiles: [],
  signIn: null,
  skillFolders: { project: ['.tacho/skills', 'skills'], user: [] },
  runSkills: { mark: '$[run].' },
  capabilities: { resume: true, questions: true, approvals: true, usage: true, deltas: true },
  signals: AGENT_SIGNALS,
  terminalBy: 'engine',
  patterns: AGENT_PATTERNS,
  parser: { name: AGENT_PARSER, version: AGENT_PARSER_VERSION, create: createAgentParser },
  sessions: agentSession,
};
