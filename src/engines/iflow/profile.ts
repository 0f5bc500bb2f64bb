import type { EngineProfile } from '../engine.ts';
import { createIflowParser, IFLOW_PARSER, IFLOW_PARSER_VERSION } from './parser.ts';
import { IFLOW_PATTERNS } from './patterns.ts';

const COMMON = ['--yolo', { when: 'model', words: ['--model={model}'] }, { engineArguments: true as const }];

/** Gone from npm, its service closed: the profile is kept for runs that were recorded while it lived. */
export const iflow: EngineProfile = {
  name: 'iflow',
  title: 'iFlow CLI',
  command: 'iflow',
  install: null,
  gone: 'its package is no longer on npm and its service is closed',
  testedVersions: ['0.5.19'],
  start: ['-p', '{prompt}', ...COMMON],
  resume: ['-r', '{session}', '-p', '{prompt}', ...COMMON],
  formats: null,
  environment: {
    set: {},
    take: ['IFLOW_API_KEY', 'IFLOW_BASE_URL'],
    withBaseUrl: { IFLOW_BASE_URL: '{base_url}/v1' },
  },
  placeholderKey: 'IFLOW_API_KEY',
  // It keeps trusted folders in .iflow/trustedWorkspaces.json, but with a prompt it never asks.
  files: [],
  credentialFiles: ['.iflow/settings.json', '.iflow/oauth_creds.json', '.iflow/iflow_accounts.json'],
  signIn: {
    variables: ['IFLOW_API_KEY'],
    files: ['.iflow/oauth_creds.json', '.iflow/settings.json'],
    settings: [],
    login: null,
    required: false,
  },
  skillFolders: { project: ['.iflow/skills'], user: ['.iflow/skills'] },
  capabilities: { resume: true, questions: false, approvals: false, usage: true, deltas: true },
  signals: { started: [], terminal: ['execution_info'], failed: [] },
  terminalBy: 'engine',
  patterns: IFLOW_PATTERNS,
  parser: { name: IFLOW_PARSER, version: IFLOW_PARSER_VERSION, create: createIflowParser },
};
