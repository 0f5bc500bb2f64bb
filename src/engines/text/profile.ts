import type { EngineProfile } from '../engine.ts';
import { createTextParser, TEXT_PARSER, TEXT_PARSER_VERSION } from './parser.ts';

/** Any command. It has no launch of its own: the command is what the caller gave. */
export const text: EngineProfile = {
  name: 'text',
  title: 'Any command',
  command: '',
  install: null,
  testedVersions: [],
  start: [],
  resume: null,
  formats: null,
  environment: { set: {}, take: [], withBaseUrl: {} },
  placeholderKey: null,
  files: [],
  credentialFiles: [],
  signIn: null,
  skillFolders: { project: [], user: [] },
  capabilities: { resume: false, questions: false, approvals: false, usage: false, deltas: false },
  signals: { started: [], terminal: [], failed: [] },
  terminalBy: 'process',
  patterns: [],
  parser: { name: TEXT_PARSER, version: TEXT_PARSER_VERSION, create: createTextParser },
};

/** A session of the terminal runtime: its output is read as that of any command. */
export const terminal: EngineProfile = { ...text, name: 'terminal', title: 'Terminal session' };
