import { execFile } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { TachoError } from '../protocol/error-code.ts';
import type { SessionLimits } from '../protocol/terminal/index.ts';
import { enterPlan, type SandboxEntry } from './entry.ts';
import { lookAt } from './look.ts';
import { isInside } from './path-inside.ts';
import { releasePlaces } from './placeholders.ts';
import { findMount, type Mount, type SandboxPlan } from './plan.ts';
import { probeBubblewrap } from './probe.ts';
import { type ProfileView, type SandboxProfile, sandboxProfile } from './profile.ts';
import { type PlannedPlace, ProfilePlans } from './profile-plan.ts';

export interface SandboxOptions {
  profile: SandboxProfile;
  /** The profile's own by default. */
  network?: 'on' | 'off' | undefined;
  /** An absolute path. */
  workspaceRoot: string;
  /** Tacho's data folder. */
  dataFolder?: string | undefined;
  /** Further paths that are never visible. */
  hidden?: readonly string[];
  /** Further paths that are readable or writable, such as those of a toolchain. */
  read?: readonly string[];
  write?: readonly string[];
  /** Paths in writable folders that stay read-only, such as the files of a policy. */
  fixed?: readonly string[];
  /** Home of the user; the one of this process by default. */
  home?: string | undefined;
  /** Where programs are searched; folders that the sandbox does not show are left out. */
  path?: string | undefined;
  /** Where bubblewrap is searched; PATH of this process by default. */
  backendPath?: string | undefined;
}

/** What is in effect, for the log. */
export interface SandboxPosture {
  profile: SandboxProfile;
  backend: 'bubblewrap' | 'none';
  version: string | null;
  network: 'on' | 'off';
  view: ProfileView['view'];
  repository: ProfileView['repository'];
  readable: string[];
  writable: string[];
  hidden: string[];
  /** Whether system calls are filtered; if not, why. */
  seccomp: 'on' | { off: string };
  /** Folders that were searched for repositories and files to protect; false: not all of them were. */
  searched: { folders: number; complete: boolean };
  /** Limits that the profile wants. */
  limits: SessionLimits;
}

export interface EnteredSandbox {
  /** Null if there is no sandbox. */
  entry: SandboxEntry | null;
  /** Files and folders created for it, for cleanup if `leave` is never called. */
  made: string[];
  /** Must be called when no process of the program is left. */
  leave(): void;
}

export interface EnterCommand {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Folders that only this program can read, such as one that was made for it; without links. */
  read?: readonly string[] | undefined;
  /** If the program itself gets descriptors, the first one after them; at most 6. */
  firstDescriptor?: number | undefined;
}

export interface Sandbox {
  readonly posture: SandboxPosture;
  /** Defaults for the environment of programs. */
  readonly environment: Readonly<Record<'PATH' | 'HOME', string> & Record<string, string>>;
  /** `env` is the whole environment of the program. */
  enter(command: EnterCommand): EnteredSandbox | { why: string };
}

const STANDARD_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Where programs keep what they download, if the home is read-only. */
const CACHES = { XDG_CACHE_HOME: '/tmp/cache', npm_config_cache: '/tmp/cache/npm' };

/** Tries the sandbox by running it. Wanted but impossible: the reason, and never a weaker one instead. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox | { why: string }> {
  const view = sandboxProfile(options.profile, options);
  for (const item of [options.workspaceRoot, ...(options.read ?? []), ...(options.write ?? [])]) refuseRelative(item);
  if (view.profile === 'none') return openNone(options, view);
  const workspace = lookAt(options.workspaceRoot);
  if (!workspace?.folder) return { why: `${options.workspaceRoot} is not a folder` };
  if (workspace.real === '/') return { why: 'a sandbox cannot protect anything if the workspace is /' };
  const probed = await probeBubblewrap(view.network, options.backendPath);
  if ('why' in probed) return probed;
  const home = homeOf(options);
  const { dataFolder, hidden = [], read = [], write = [], fixed = [] } = options;
  const place: PlannedPlace = { workspace: workspace.real, home, dataFolder, hidden, read, write, fixed };
  const plans = new ProfilePlans(view, place);
  const first = plans.next();
  if ('why' in first) return first;
  releasePlaces(first.made);
  return {
    posture: {
      profile: view.profile,
      backend: 'bubblewrap',
      version: await versionOf(probed.program),
      network: view.network,
      view: view.view,
      repository: view.repository,
      readable: view.view === 'machine' ? ['/'] : [...read],
      writable: [workspace.real, ...write],
      hidden: hiddenIn(first.plan),
      seccomp: 'file' in probed.filter ? 'on' : { off: probed.filter.why },
      searched: plans.found,
      limits: view.limits,
    },
    environment: {
      PATH: visiblePath(options.path, first.plan),
      HOME: home,
      ...(view.home === 'own' ? CACHES : {}),
    },
    enter: ({ cwd, env, read: own = [], firstDescriptor }) => {
      const planned = plans.next();
      if ('why' in planned) return planned;
      const { plan, made, text } = planned;
      const added = own.map((item) => ({ path: item, shows: 'host' as const, source: item, writable: false }));
      const mounts = [...plan.mounts, ...added];
      const why = whyNot(cwd, mounts) ?? own.map((item) => whyNotAdded(item, plan)).find((reason) => reason !== null);
      if (why) {
        releasePlaces(made);
        return { why };
      }
      const entered = { ...plan, mounts, cwd: lookAt(cwd)!.real };
      const entry = enterPlan(probed, entered, { environment: env, firstDescriptor, text });
      return { entry, made, leave: () => releasePlaces(made.splice(0)) };
    },
  };
}

/** The whole machine, without protection: has to be chosen by name. */
function openNone(options: SandboxOptions, view: ProfileView): Sandbox {
  return {
    posture: {
      profile: 'none',
      backend: 'none',
      version: null,
      network: view.network,
      view: view.view,
      repository: view.repository,
      readable: ['/'],
      writable: ['/'],
      hidden: [],
      seccomp: { off: 'there is no sandbox' },
      searched: { folders: 0, complete: true },
      limits: view.limits,
    },
    environment: { PATH: options.path || STANDARD_PATH, HOME: homeOf(options) },
    enter: ({ cwd }) =>
      lookAt(cwd)?.folder ? { entry: null, made: [], leave: () => {} } : { why: `${cwd} is not a folder` },
  };
}

function homeOf({ home = os.homedir() }: SandboxOptions): string {
  return lookAt(home)?.real ?? home;
}

function whyNot(cwd: string, mounts: readonly Mount[]): string | null {
  const folder = lookAt(cwd);
  if (!folder?.folder) return `${cwd} is not a folder`;
  return findMount(mounts, folder.real)?.shows === 'host' ? null : `${cwd} is not visible in the sandbox`;
}

/** A folder that is added on top would uncover what the plan protects below it. */
function whyNotAdded(item: string, { mounts }: SandboxPlan): string | null {
  if (lookAt(item)?.real !== item) return `${item} does not exist, or is or lies behind a link`;
  const covered = mounts.find((mount) => mount.path !== item && isInside(mount.path, item));
  return covered ? `${item} contains ${covered.path}, which the sandbox protects` : null;
}

/** Paths that are covered, although a folder around them is shown. */
function hiddenIn({ mounts }: SandboxPlan): string[] {
  return mounts.flatMap((mount) => {
    const isHidden = mount.shows === 'nothing' || (mount.shows === 'empty' && !mount.writable);
    return isHidden ? [mount.path] : [];
  });
}

function visiblePath(wanted: string | undefined, { mounts }: SandboxPlan): string {
  const isVisible = (folder: string) => {
    const seen = path.isAbsolute(folder) ? lookAt(folder) : null;
    return seen?.folder && findMount(mounts, seen.real)?.shows === 'host';
  };
  const folders = (wanted ?? '').split(':').filter(isVisible);
  return folders.length > 0 ? folders.join(':') : STANDARD_PATH;
}

function refuseRelative(item: string): void {
  if (path.isAbsolute(item)) return;
  throw new TachoError('INVALID_PARAMS', `"${item}" is not an absolute path`, { facts: { path: item } });
}

const versions = new Map<string, Promise<string | null>>();

function versionOf(program: string): Promise<string | null> {
  const known = versions.get(program);
  if (known) return known;
  const asked = new Promise<string | null>((resolve) => {
    execFile(program, ['--version'], { timeout: 5000, env: {} }, (error, stdout) => {
      resolve(error ? null : (/\d+(\.\d+)+/.exec(stdout)?.[0] ?? null));
    });
  });
  versions.set(program, asked);
  return asked;
}
