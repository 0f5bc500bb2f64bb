import type { EngineDefinition, Parser, ParserContext } from '../protocol/index.ts';
import type { LinePattern } from './line-pattern.ts';
import type { SessionFormat } from './sessions/session-format.ts';

/**
 * Everything tacho knows about an engine, as data: how to start it, which settings it needs, what its words mean. The one
 * thing that is code is its parser. In templates `{name}` stands for a value: prompt, session, model, base_url,
 * format, workspace, home, skills; `{name|other}` for `other` where there is none.
 */
export interface EngineProfile {
  name: string;
  title: string;
  /** Of an engine that the configuration defines. */
  definition?: EngineDefinition;
  /** Name of the program, or its path. */
  command: string;
  /** Words between the program and its arguments. */
  before?: readonly string[];
  /**
   * How it is installed; null where npm does not have it. `needsNode` is for people to read: what counts is what the
   * installed package says.
   */
  install: { package: string; version: string; needsNode?: string } | null;
  /** The engine whose installation is used (default: its own). */
  installedAs?: string;
  /** Why it can no longer be installed. */
  gone?: string;
  /** A program of our own that comes with tacho: its name, as `selfCommand` and the build know it. */
  own?: string;
  /** Versions the scenarios of `npm run test:engines`, or captures, were made with. */
  testedVersions: readonly string[];
  /** Arguments of a first attempt and of one that continues a session. */
  start: readonly Word[];
  resume: readonly Word[] | null;
  /** What is different in older versions, the oldest first; the first entry that covers a version counts. */
  older?: readonly OlderVersions[];
  /** Output formats the engine can be asked for, the first one by default; null where there is only one. */
  formats: readonly string[] | null;
  environment: {
    set: Readonly<Record<string, string>>;
    /** Names taken from the caller: credentials and what belongs to them. */
    take: readonly string[];
    /** Also those that `llm` and `mcp` of the configuration name for keys. */
    takesConfiguredKeys?: true;
    /** Set as well when a base URL is given. */
    withBaseUrl: Readonly<Record<string, string>>;
    /** Set as well when the run has skills. */
    withSkills?: Readonly<Record<string, string>>;
  };
  /** Credential the engine wants to see even where a local model server asks for none. */
  placeholderKey: string | null;
  /**
   * JSON files merged into the managed home before the start. What is in `content` is enforced, what is in `defaults`
   * gives way to what is there, and everything else is kept. One with `when` is for runs in which that value is given.
   */
  files: readonly { path: string; content: Template; defaults?: Template; when?: string }[];
  /** Folders of the managed home that the engine wants to find, and does not make itself. */
  folders?: readonly string[];
  /** Files under the user's own home that `--auth-from-home` and `tacho engines login --from-home` copy. */
  credentialFiles: readonly string[];
  /** How it is signed in to its service; null if it needs no account. */
  signIn: SignIn | null;
  skillFolders: { project: readonly string[]; user: readonly string[] };
  /** How it finds the skills of a run, in `{skills}/skills`. Without it, only the message to it names them. */
  runSkills?: RunSkills;
  capabilities: Capabilities;
  /** What the phases of the engine's own status events mean. */
  signals: {
    /** The engine works (again): what ended before is not the end. */
    started: readonly string[];
    terminal: readonly string[];
    failed: readonly string[];
    /** The turn ended because an answer or a decision is missing, whatever the mode: the session waits for it. */
    waiting?: readonly string[];
  };
  /** `process`: exit 0 is the terminal signal (any command). `engine`: the engine has to say so itself. */
  terminalBy: 'process' | 'engine';
  /** Lines outside of its protocol by which it reports errors. */
  patterns: readonly LinePattern[];
  parser: { name: string; version: string; create(context: ParserContext): Parser };
  /** Text that every log of it holds; for an engine that prints the protocol of another one. */
  mark?: RegExp;
  /** The files it keeps of its sessions, if tacho can read them. */
  sessions?: SessionFormat;
}

/** An engine that finds the skills of a run by itself, because an argument or a variable leads it there. */
export interface RunSkills {
  /** Where it looks for them, below `{skills}`: made a link to them (default: it is led to the folder itself). */
  at?: string;
  /** Whether `{skills}/home` has to show everything else in the managed home. */
  showsHome?: true;
  /** What stands before the name of a skill in a message, so that its text becomes part of the message. */
  mark?: string;
}

/** All versions before a given one: the fields that are different in them, or why they cannot be run. */
export interface OlderVersions
  extends Partial<Pick<EngineProfile, 'start' | 'resume' | 'formats' | 'environment' | 'files'>> {
  before: string;
  /** Completes the sentence "OpenCode 0.5.29 …". */
  unsupported?: string;
}

/** Signs by which tacho knows whether an engine is signed in. */
export interface SignIn {
  /** Variables; any one of them signs it in. */
  variables: readonly string[];
  /** Files of its home; any one of them is a sign-in. */
  files: readonly string[];
  /**
   * Files that may say something else, in its home or in the workspace and the folders above it, or by an absolute path:
   * tacho does not look into them, so nothing is known for certain.
   */
  settings: readonly string[];
  /** It reads them in every folder above the workspace, also in the user's own home, which is not its project. */
  settingsInAnyFolder?: boolean;
  /** The same for a value in a JSON file of its home that tacho itself writes; `usual` is the value tacho writes. */
  unlessSet?: { file: string; keys: readonly string[]; usual?: string };
  /** Arguments of its own sign-in; null if there is none. */
  login: readonly string[] | null;
  /** What to do in that program, if it does not say. */
  hint?: string;
  /** Whether a run without any of these is certain to fail. */
  required: boolean;
}

export interface Capabilities {
  resume: boolean;
  questions: boolean;
  approvals: boolean;
  usage: boolean;
  deltas: boolean;
}

/**
 * One argument; or several that are there only when a value is given (`when: 'model'`), or has a value (`format=json`),
 * `unless` another one is given. With `cutAt` they are there once for each piece of the value of `when` between those
 * marks, which is then what `{name}` stands for.
 */
export type Word = string | ConditionalWords | { engineArguments: true };

export interface ConditionalWords {
  when: string;
  unless?: string;
  words: readonly string[];
  cutAt?: string;
}

/** JSON with placeholders in keys and strings. */
export type Template = string | number | boolean | null | readonly Template[] | { readonly [key: string]: Template };
