import type { EngineDefinition, EngineReading, TemplateWord } from '../../protocol/index.ts';
import { ENGINE_ARGUMENTS } from '../../protocol/run/placeholders.ts';
import type { EngineProfile, Word } from '../engine.ts';
import { text } from '../text/profile.ts';

/**
 * An engine of the user's own: another profile with parts replaced. Lists replace those of the base, variables to set
 * are added to them. Without a program of its own it is the base with other settings.
 */
export function defineEngine(name: string, definition: EngineDefinition, base: EngineProfile): EngineProfile {
  const { signals = base.signals } = definition;
  const program = programOf(definition, base);
  const launch = launchOf(definition, base);
  const { older } = program;
  return {
    ...program,
    ...launch,
    ...(older
      ? { older: older.map((version) => ({ ...version, ...launchOf(definition, { ...base, ...version }) })) }
      : {}),
    name,
    title: definition.title ?? name,
    definition,
    placeholderKey: definition.environment?.key_for_base_url ?? base.placeholderKey,
    ...signInOf(definition, base),
    capabilities: { ...base.capabilities, resume: launch.resume !== null },
    signals: {
      started: signals.started ?? base.signals.started,
      terminal: signals.terminal ?? base.signals.terminal,
      failed: signals.failed ?? base.signals.failed,
      ...(base.signals.waiting ? { waiting: base.signals.waiting } : {}),
    },
    terminalBy: definition.terminal_by ?? base.terminalBy,
  };
}

/** A recorded engine whose definition may be gone: enough to read its output, not to start it. */
export function recordedEngine(name: string, reading: EngineReading, base: EngineProfile): EngineProfile {
  const { title, signals, terminal_by: terminalBy } = reading;
  const { parser, patterns, capabilities, sessions } = base;
  const { waiting } = base.signals;
  const definition = { extends: base.name as EngineDefinition['extends'] };
  const profile = {
    ...text,
    ...{ name, title, definition, parser, patterns, capabilities, terminalBy },
    signals: waiting ? { ...signals, waiting } : signals,
  };
  return sessions === undefined ? profile : { ...profile, sessions };
}

/** A command that prints the format of an engine: read like it, and started as any command. */
export function readerOf(profile: EngineProfile): EngineProfile {
  const { name, title, parser, patterns, signals, terminalBy } = profile;
  const { definition } = profile;
  const reader = { ...text, name, title, parser, patterns, signals, terminalBy };
  return definition === undefined ? reader : { ...reader, definition };
}

/** Without a program of its own, it is installed and found like the base. */
function programOf({ command }: EngineDefinition, base: EngineProfile): EngineProfile {
  if (command === undefined) return { ...base, installedAs: base.installedAs ?? base.name };
  const { own: _own, older: _older, ...rest } = base;
  const [program = '', ...before] = command;
  return { ...rest, command: program, before, install: null, testedVersions: [] };
}

/** Its arguments or variables may sign it in, so nothing is required, unless the definition says so. */
function signInOf(
  { command, sign_in }: EngineDefinition,
  { signIn, credentialFiles }: EngineProfile,
): Pick<EngineProfile, 'signIn' | 'credentialFiles'> {
  if (sign_in === undefined && command === undefined) {
    return { signIn: signIn && { ...signIn, required: false }, credentialFiles };
  }
  const { variables = [], files = [], login = null } = sign_in ?? {};
  const required = variables.length + files.length > 0;
  return { signIn: { variables, files, login, settings: [], required }, credentialFiles: files };
}

/** Arguments and variables. */
function launchOf(
  definition: EngineDefinition,
  base: Pick<EngineProfile, 'start' | 'resume' | 'environment'>,
): Pick<EngineProfile, 'start' | 'resume' | 'environment'> {
  const { environment = {}, args } = definition;
  const { start, resume } = templatesOf(definition, base);
  return {
    start: withArguments(start, args),
    resume: resume && withArguments(resume, args),
    environment: {
      take: environment.take ?? base.environment.take,
      set: { ...base.environment.set, ...environment.set },
      withBaseUrl: { ...base.environment.withBaseUrl, ...environment.with_base_url },
      ...(base.environment.withSkills ? { withSkills: base.environment.withSkills } : {}),
    },
  };
}

/** A first attempt with other arguments says nothing about how a session is continued. */
function templatesOf(
  { start, resume }: EngineDefinition,
  base: Pick<EngineProfile, 'start' | 'resume'>,
): { start: readonly Word[]; resume: readonly Word[] | null } {
  const continued = resume === undefined ? (start === undefined ? base.resume : null) : resume.map(wordOf);
  return {
    start: start?.map(wordOf) ?? base.start,
    resume: continued === null || continued.length === 0 ? null : continued,
  };
}

function wordOf(word: TemplateWord): Word {
  if (word === ENGINE_ARGUMENTS) return { engineArguments: true };
  if (typeof word === 'string') return word;
  const { when, unless, words, cut_at } = word;
  return {
    when,
    words,
    ...(unless === undefined ? {} : { unless }),
    ...(cut_at === undefined ? {} : { cutAt: cut_at }),
  };
}

/** Arguments of the definition stand where those of the request do. */
function withArguments(words: readonly Word[], added: readonly string[] = []): Word[] {
  return words.flatMap((word) => (isEngineArguments(word) ? [...added, word] : [word]));
}

export function isEngineArguments(word: Word): boolean {
  return typeof word === 'object' && 'engineArguments' in word;
}
