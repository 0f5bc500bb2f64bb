import fs from 'node:fs';
import path from 'node:path';
import { ownProgramCommand } from '../../config/index.ts';
import { ENGINE_NAMES, type EngineProfile, findEngine } from '../../engines/index.ts';
import { TachoError } from '../../protocol/index.ts';

/** The path and version of an engine's program. */
export interface EngineProgram {
  path: string;
  /** Words before the engine's own arguments: our own program is started by Node. */
  before: readonly string[];
  /** Installed by tacho, as opposed to found on PATH. */
  managed: boolean;
  /** From the program's package; null if unknown without running it. */
  version: string | null;
}

/** The engine with this name. */
export function requireEngine(name: string): EngineProfile {
  const profile = ENGINE_NAMES.includes(name) ? findEngine(name) : null;
  if (profile) return profile;
  throw new TachoError('UNKNOWN_ENGINE', `unknown engine "${name}"`, {
    facts: { engine: name, engines: [...ENGINE_NAMES] },
    fix: `Engines: ${ENGINE_NAMES.join(', ')}. To record any other command: tacho run -- ${name}`,
  });
}

/** Tacho's own installation first, then PATH; null without either. */
export function findEngineProgram(
  profile: EngineProfile,
  { enginesFolder, searchPath }: { enginesFolder: string; searchPath: string },
): EngineProgram | null {
  if (profile.own !== undefined) return ownProgram(profile.own);
  const own = path.join(installFolder(enginesFolder, profile), 'node_modules', '.bin', profile.command);
  if (isExecutable(own)) return { path: own, before: [], managed: true, version: packageVersion(own) };
  for (const folder of searchPath.split(':').filter(Boolean)) {
    // The program starts in the workspace, where a relative folder on PATH would be a different one.
    const candidate = path.resolve(folder, profile.command);
    if (isExecutable(candidate))
      return { path: candidate, before: [], managed: false, version: packageVersion(candidate) };
  }
  return null;
}

export function requireEngineProgram(
  profile: EngineProfile,
  places: { enginesFolder: string; searchPath: string },
): EngineProgram {
  const program = findEngineProgram(profile, places);
  if (!program) {
    throw new TachoError('ENGINE_NOT_INSTALLED', `${profile.title} is not installed: no program "${profile.command}"`, {
      facts: { engine: profile.name, command: profile.command },
      fix: profile.install
        ? `Install it with: tacho engines install ${profile.name}  (${profile.install.package} ${profile.install.version})`
        : 'It can no longer be installed; recorded logs can still be read with: tacho import',
    });
  }
  const needed = profile.install?.needsNode?.match(/\d+/)?.[0];
  // An engine installed by the user may bring its own Node.
  if (program.managed && needed && Number(process.versions.node.split('.')[0]) < Number(needed)) {
    throw new TachoError('ENGINE_UNSUPPORTED', `${profile.title} needs Node ${needed}; this is ${process.version}`, {
      facts: { engine: profile.name, needs_node: profile.install!.needsNode },
      fix: `Run tacho with Node ${needed} or later on PATH.`,
    });
  }
  return program;
}

/** Whether the parsers were tested with this version; an unknown version is accepted. */
export function isTested(profile: EngineProfile, version: string | null): boolean {
  return version === null || profile.testedVersions.includes(version);
}

export function installFolder(enginesFolder: string, profile: Pick<EngineProfile, 'name'>): string {
  return path.join(enginesFolder, profile.name);
}

/** Version of the npm package that contains a program: asking the program itself takes seconds with some engines. */
function packageVersion(program: string): string | null {
  let folder = path.dirname(fs.realpathSync(program));
  for (;;) {
    const file = path.join(folder, 'package.json');
    try {
      const { name, version } = JSON.parse(fs.readFileSync(file, 'utf8')) as { name?: unknown; version?: unknown };
      if (typeof name === 'string' && typeof version === 'string') return version;
    } catch {
      // Not here, or not a package: try the parent folder.
    }
    const parent = path.dirname(folder);
    if (parent === folder) return null;
    folder = parent;
  }
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
  return program ? { path: program, before, managed: true, version: null } : null;
}
