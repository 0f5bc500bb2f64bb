import fs from 'node:fs';
import path from 'node:path';
import { ownProgramCommand } from '../../config/index.ts';
import type { EngineProfile } from '../../engines/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { chooseNode, type NodeChoice } from './engine-node.ts';
import { packageOf } from './engine-package.ts';
import { whyUnsupported } from './engine-version.ts';

/** The path and version of an engine's program. */
export interface EngineProgram {
  path: string;
  /** Words before the engine's own arguments: the script, if the program is the Node that runs it. */
  before: readonly string[];
  /** Installed by tacho, as opposed to found on PATH. */
  managed: boolean;
  /** The three are from the program's npm package; null if unknown. */
  package: string | null;
  version: string | null;
  needsNode: string | null;
}

/** Where the programs of engines are looked for. */
export interface EnginePlaces {
  enginesFolder: string;
  searchPath: string;
  /** Where a relative path of a defined engine starts; null: a new folder, which holds no program. */
  workspace?: string | null;
}

/** Tacho's own installation first, then PATH; null without either. A path in a definition is used as it is. */
export function findEngineProgram(profile: EngineProfile, places: EnginePlaces): EngineProgram | null {
  const { enginesFolder, searchPath } = places;
  if (profile.own !== undefined) return ownProgram(profile.own);
  if (profile.before !== undefined) return definedProgram(profile.command, profile.before, places);
  const installed = programIn(installFolder(enginesFolder, profile), profile);
  if (installed) return installed;
  for (const folder of searchPath.split(':').filter(Boolean)) {
    // The program starts in the workspace, where a relative folder on PATH would be a different one.
    const candidate = path.resolve(folder, profile.command);
    if (isExecutable(candidate)) return describeProgram(candidate, { managed: false });
  }
  return null;
}

/** The program in a folder into which tacho installed the engine. */
export function programIn(folder: string, { command }: Pick<EngineProfile, 'command'>): EngineProgram | null {
  const program = path.join(folder, 'node_modules', '.bin', command);
  return isExecutable(program) ? describeProgram(program, { managed: true }) : null;
}

export function requireEngineProgram(profile: EngineProfile, places: EnginePlaces): EngineProgram {
  const program = findEngineProgram(profile, places);
  if (!program) {
    throw new TachoError('ENGINE_NOT_INSTALLED', `${profile.title} is not installed: no program "${profile.command}"`, {
      facts: { engine: profile.name, command: profile.command },
      fix: howToInstall(profile),
    });
  }
  const reason = whyUnsupported(profile, program.version);
  if (reason !== null) throw unsupportedVersion(profile, program, reason);
  const choice = chooseNode(program, places.searchPath);
  if (choice.kind === 'missing') throw nodeMissing(profile, program, choice);
  return choice.kind === 'own' ? program : { ...program, path: choice.node, before: [program.path] };
}

function unsupportedVersion(profile: EngineProfile, { path: program, version }: EngineProgram, reason: string) {
  const { name, title, install } = profile;
  return new TachoError('ENGINE_UNSUPPORTED', `${title} ${version} ${reason}`, {
    facts: { engine: name, version, path: program },
    fix: install ? `Install ${install.version} with: tacho engines install ${name}` : `Update ${program}.`,
  });
}

function nodeMissing(
  { name, title, install }: EngineProfile,
  { version, needsNode }: EngineProgram,
  { minimum, found }: Extract<NodeChoice, { kind: 'missing' }>,
) {
  const told = found.length === 0 ? 'there is no Node on PATH' : `found: ${found.join(', ')}`;
  return new TachoError('ENGINE_UNSUPPORTED', `${title} ${version} needs Node ${minimum} or later; ${told}`, {
    facts: { engine: name, version, needs_node: needsNode },
    fix: install
      ? `Install it with a Node of its own: tacho engines install ${name}. Or put Node ${minimum} or later on PATH.`
      : `Put Node ${minimum} or later on PATH.`,
  });
}

/** Whether the parsers were tested with this version; an unknown version is accepted. */
export function isTested(profile: EngineProfile, version: string | null): boolean {
  return version === null || profile.testedVersions.includes(version);
}

export function installFolder(
  enginesFolder: string,
  { name, installedAs = name }: Pick<EngineProfile, 'name' | 'installedAs'>,
): string {
  return path.join(enginesFolder, installedAs);
}

function howToInstall({ name, installedAs = name, install, gone, command }: EngineProfile): string {
  if (install) {
    return `Install it with: tacho engines install ${installedAs}  (${install.package} ${install.version})`;
  }
  return gone === undefined
    ? `Put ${command} on PATH, or correct engines.${name}.command: tacho config explain engines.${name}`
    : `It can no longer be installed (${gone}); recorded logs can still be read with: tacho import`;
}

const UNKNOWN_PACKAGE = { package: null, version: null, needsNode: null };

/** The program of a definition: a path, or a name on PATH. A package around it may be that of the workspace. */
function definedProgram(command: string, before: readonly string[], places: EnginePlaces): EngineProgram | null {
  const { searchPath, workspace = null } = places;
  if (command.includes('/')) {
    if (workspace === null && !path.isAbsolute(command)) return null;
    const file = path.resolve(workspace ?? '/', command);
    return isExecutable(file) ? { path: file, before, managed: false, ...UNKNOWN_PACKAGE } : null;
  }
  for (const folder of searchPath.split(':').filter(Boolean)) {
    const file = path.resolve(folder, command);
    if (isExecutable(file)) return { path: file, before, managed: false, ...UNKNOWN_PACKAGE };
  }
  return null;
}

function describeProgram(program: string, { managed }: { managed: boolean }): EngineProgram {
  const { name = null, version = null, needsNode = null } = packageOf(program) ?? {};
  return { path: program, before: [], managed, package: name, version, needsNode };
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false; // Missing, a folder, or not accessible.
  }
}

function ownProgram(name: string): EngineProgram | null {
  const [program, ...before] = ownProgramCommand(name) ?? [];
  return program ? { path: program, before, managed: true, ...UNKNOWN_PACKAGE } : null;
}
