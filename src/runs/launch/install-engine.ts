import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineProfile } from '../../engines/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { chooseNode } from './engine-node.ts';
import { readPackage } from './engine-package.ts';
import { type EngineProgram, installFolder, programIn } from './engine-program.ts';

const TRIES = 3;

export interface InstallWatcher {
  /** Prints a progress line. */
  say(text: string): void;
}

/**
 * Installs the tested version of an engine into its own folder: into a temporary folder first, then renamed, so that an
 * installation is complete or absent. An engine that needs a newer Node than the one on `searchPath` gets one as well.
 */
export async function installEngine(
  profile: EngineProfile,
  { enginesFolder, searchPath }: { enginesFolder: string; searchPath: string },
  watcher: InstallWatcher,
): Promise<{ path: string; version: string | null; installed: boolean }> {
  const { install } = profile;
  if (!install) {
    const { title, name, gone } = profile;
    throw new TachoError(
      'ENGINE_INSTALL_FAILED',
      gone === undefined ? `npm does not have ${title}` : `${title} can no longer be installed: ${gone}`,
      {
        facts: { engine: name },
        fix:
          gone === undefined
            ? 'Install it yourself; tacho engines shows whether it is found.'
            : 'Its recorded logs can still be read with: tacho import',
      },
    );
  }
  const folder = installFolder(enginesFolder, profile);
  const present = programIn(folder, profile);
  const version = readPackage(path.join(folder, 'node_modules', install.package))?.version;
  if (present && version === install.version && canRun(present, searchPath)) {
    return { path: present.path, version, installed: false };
  }
  const fresh = `${folder}.${process.pid}.new`;
  const wanted = { [install.package]: install.version };
  fs.rmSync(fresh, { recursive: true, force: true });
  try {
    await withRetries(wanted, watcher, () => installInto(fresh, wanted));
    const program = programIn(fresh, profile);
    if (!program) throw noProgram(profile, described(wanted));
    const node = nodeToAdd(program, searchPath);
    if (node !== null) {
      watcher.say(`${profile.title} needs Node ${node} or later: it gets one of its own.`);
      const both = { ...wanted, node: `^${node}` };
      await withRetries(both, watcher, () => installInto(fresh, both));
    }
    keepLinkInside(path.join(fresh, 'node_modules', '.bin', profile.command), fresh);
    fs.rmSync(folder, { recursive: true, force: true });
    fs.renameSync(fresh, folder);
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
  return { path: programIn(folder, profile)!.path, version: install.version, installed: true };
}

function noProgram({ name, command }: EngineProfile, wanted: string): TachoError {
  return new TachoError('ENGINE_INSTALL_FAILED', `${wanted} has no program "${command}"`, { facts: { engine: name } });
}

function canRun(program: EngineProgram, searchPath: string): boolean {
  return nodeToAdd(program, searchPath) === null;
}

/** The Node that the program lacks. */
function nodeToAdd(program: EngineProgram, searchPath: string): string | null {
  const choice = chooseNode(program, searchPath);
  return choice.kind === 'missing' ? choice.minimum : null;
}

/** Installers may link to the absolute path of the folder, which gets another name. */
function keepLinkInside(program: string, folder: string): void {
  let file = program;
  while (fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
    const target = path.resolve(path.dirname(file), fs.readlinkSync(file));
    if (!target.startsWith(`${folder}/`)) return;
    fs.rmSync(file);
    fs.symlinkSync(path.relative(path.dirname(file), target), file);
    file = target;
  }
}

async function withRetries(
  wanted: Readonly<Record<string, string>>,
  watcher: InstallWatcher,
  work: () => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const again = attempt === 1 ? '' : `, try ${attempt} of ${TRIES}`;
    watcher.say(`installing ${described(wanted)}${again} …`);
    try {
      await work();
      return;
    } catch (error) {
      if (attempt === TRIES) throw error;
      await sleep(2000 * attempt);
    }
  }
}

/** Installs exactly these packages; those that the folder has already are kept. */
async function installInto(folder: string, wanted: Readonly<Record<string, string>>): Promise<void> {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: wanted }));
  const words = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn('npm', words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (bytes: Buffer) => {
    complaints = (complaints + bytes.toString()).slice(-4000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  }).catch((cause: Error) => {
    throw new TachoError('ENGINE_INSTALL_FAILED', `npm could not be started: ${cause.message}`, {
      cause,
      fix: 'Install npm, or install the engine yourself and put it on PATH.',
    });
  });
  if (code === 0) return;
  throw new TachoError('ENGINE_INSTALL_FAILED', `npm install ${described(wanted)} failed: ${complaints.trim()}`, {
    facts: { package: described(wanted), exit_code: code },
    fix: 'Check the network and the registry npm is set up with, then try again.',
  });
}

function described(wanted: Readonly<Record<string, string>>): string {
  return Object.entries(wanted)
    .map(([name, version]) => `${name}@${version}`)
    .join(' ');
}
