import type { EngineProfile } from '../engine.ts';
import { createDemoParser, DEMO_PARSER, DEMO_PARSER_VERSION } from './parser.ts';
import { DEMO_PATTERNS } from './patterns.ts';

const COMMON = [
  'run',
  // It asks a question, unless the run is unattended.
  { when: 'mode=auto', words: ['--unattended'] },
  { engineArguments: true as const },
];

/** In one word with its name: a prompt may begin like an option. */
const PROMPT = '--prompt={prompt}';

/** The scripted agent that comes with tacho (`src/demo/agent/`): it needs no model, no account and no installation. */
export const demo: EngineProfile = {
  name: 'demo',
  title: 'Demo agent',
  command: 'tacho-demo-agent',
  install: null,
  own: 'demo-agent',
  testedVersions: [],
  start: [...COMMON, PROMPT],
  resume: [...COMMON, '--session', '{session}', PROMPT],
  formats: null,
  environment: { set: { TACHO_DEMO_APPROVALS: '{approvals}' }, take: [], withBaseUrl: {} },
  placeholderKey: null,
  files: [],
  credentialFiles: [],
  signIn: null,
  skillFolders: { project: [], user: [] },
  capabilities: { resume: true, questions: true, approvals: true, usage: true, deltas: true },
  signals: {
    started: ['turn_started'],
    terminal: ['turn_finished.done', 'turn_finished.question'],
    failed: ['error'],
  },
  terminalBy: 'engine',
  patterns: DEMO_PATTERNS,
  parser: { name: DEMO_PARSER, version: DEMO_PARSER_VERSION, create: createDemoParser },
};
