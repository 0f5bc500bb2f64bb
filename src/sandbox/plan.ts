import path from 'node:path';
import { RUNTIME_FOLDER } from '../protocol/file-names.ts';
import type { SandboxRequest } from '../protocol/terminal/index.ts';
import { isInside } from './path-inside.ts';
import { addOwnFolders, addSystem } from './system-view.ts';

/** Describes a path of this machine; null if it does not exist. */
export type Look = (path: string) => Seen | null;
export interface Seen {
  folder: boolean;
  /** The path with all links resolved. */
  real: string;
  /** The link's own target, if the path is a link. */
  link: string | null;
}

/** Where and how a program must run. */
export interface Place {
  workspace: string;
  cwd: string;
  environment: Record<string, string>;
  /** Holds runs, keys and tokens. Only a run's own working folder in it is ever shown. */
  dataFolder?: string | undefined;
  /** Other folders that are never shown, such as those of runtimes. */
  hidden?: readonly string[];
  /** Read-only even in a writable folder. */
  fixed?: readonly string[];
}

/** One path of the sandbox and its content. */
export type Mount = { path: string } & (
  | { shows: 'host'; source: string; writable: boolean }
  | { shows: 'empty'; writable: boolean }
  | { shows: 'nothing' }
  /** A file with a text that is not that of the machine; there is one at most. */
  | { shows: 'text' }
  | { shows: 'link'; target: string }
  | { shows: 'processes' | 'devices' }
);

export interface SandboxPlan {
  /** Parents before children. No path appears twice. */
  mounts: Mount[];
  network: boolean;
  cwd: string;
}

export type PlanRequest = Pick<SandboxRequest, 'network' | 'workspace' | 'read' | 'write' | 'hide'>;
export type Planned = { plan: SandboxPlan } | { why: string };

/** Provided by the sandbox itself: the machine's own would let a program escape, or reveal secrets of others. */
const NEVER_SHOWN = ['/proc', '/dev'];
/** In a data folder: where the program of a run works. */
const WORK_FOLDER = /^runs\/[^/]+\/work(\/|$)/;
/** And where its skill puts the files that it makes. */
const ARTIFACTS_FOLDER = /^env\/skills\/[^/]+\/artifacts(\/|$)/;

/** Pure: converts a request to the mounts of a sandbox, or to a reason why it is impossible. */
export function planSandbox(request: PlanRequest, place: Place, look: Look): Planned {
  const mounts = new Map<string, Mount>();
  const workspace = look(place.workspace);
  const cwd = look(place.cwd);
  if (!workspace?.folder || !cwd?.folder) return { why: `${place.cwd} is not a folder` };
  // Later ones replace earlier ones of the same path.
  if (![place.workspace, ...request.read, ...request.write].includes('/')) addSystem(mounts, look);
  addOwnFolders(mounts, look, { home: place.environment.HOME, workspace: workspace.real });
  const asked = [
    [place.workspace, request.workspace],
    ...request.write.map((item) => [item, 'write'] as const),
    ...request.read.map((item) => [item, 'read'] as const),
    ...request.hide.map((item) => [item, 'hide'] as const),
  ] as const;
  const aliases: Mount[] = [];
  // The secret of the runtime would let a program run any command outside.
  const own = [path.join(workspace.real, RUNTIME_FOLDER), ...(place.hidden ?? []), place.dataFolder];
  const hidden = own.flatMap((folder) => (folder === undefined ? [] : (look(folder)?.real ?? [])));
  for (const [item, view] of asked) {
    const seen = look(item);
    if (!seen && view === 'hide') continue;
    if (!seen) return { why: `${item} is not there` };
    const refused = [...NEVER_SHOWN, ...hidden].find((folder) => {
      if (!isInside(seen.real, folder)) return false;
      const inFolder = path.relative(folder, seen.real);
      if (item === place.workspace) return !WORK_FOLDER.test(inFolder);
      return view !== 'write' || !ARTIFACTS_FOLDER.test(inFolder);
    });
    if (refused && view !== 'hide') return { why: `${item} is in ${refused}, which is never shown` };
    if (refused) continue;
    const given = path.resolve(item);
    // A program in the workspace may have created the link.
    if (isInside(given, path.resolve(place.workspace)) && !isInside(seen.real, workspace.real) && view !== 'hide') {
      return { why: `${item} leads out of the workspace, to ${seen.real}` };
    }
    mounts.set(seen.real, show(seen, view));
    if (given !== seen.real) aliases.push({ path: given, shows: 'link', target: seen.real });
  }
  for (const folder of hidden) hideFolder(mounts, folder);
  for (const item of place.fixed ?? []) {
    const why = fix(mounts, item, look);
    if (why !== null) return { why };
  }
  for (const folder of NEVER_SHOWN) {
    mounts.set(folder, { path: folder, shows: folder === '/dev' ? 'devices' : 'processes' });
  }
  for (const alias of aliases) if (!findMount(mounts.values(), alias.path)) mounts.set(alias.path, alias);
  if (!isShown(findMount(mounts.values(), cwd.real))) {
    return { why: `${place.cwd} would not be visible; ask for it with read or write` };
  }
  return {
    plan: {
      mounts: inOrder(mounts.values()),
      network: request.network === 'on',
      cwd: cwd.real,
    },
  };
}

/** The mount that determines what a path shows: the deepest one that contains it. */
export function findMount(mounts: Iterable<Mount>, target: string): Mount | undefined {
  let deepest: Mount | undefined;
  for (const mount of mounts) {
    if (isInside(target, mount.path) && mount.path.length >= (deepest?.path.length ?? 0)) deepest = mount;
  }
  return deepest;
}

function hideFolder(mounts: Map<string, Mount>, folder: string): void {
  if (!isShown(findMount(mounts.values(), folder))) return;
  pin(mounts, path.dirname(folder));
  mounts.set(folder, { path: folder, shows: 'empty', writable: false });
}

/** Makes a writable path read-only, unless it was requested as writable. Returns a reason if that is impossible. */
function fix(mounts: Map<string, Mount>, item: string, look: Look): string | null {
  const seen = look(item);
  const around = findMount(mounts.values(), item);
  if (!seen || around?.shows !== 'host' || !around.writable || around.path === item) return null;
  if (seen.real !== item) return `${item} is or lies behind a link, which a program in the workspace could replace`;
  pin(mounts, path.dirname(item));
  mounts.set(item, { path: item, shows: 'host', source: item, writable: false });
  return null;
}

/**
 * A mount point cannot be renamed, but a folder with one somewhere below can. So that no folder around a protected file
 * can be replaced, each of them becomes a mount point.
 */
function pin(mounts: Map<string, Mount>, folder: string): void {
  const around = findMount(mounts.values(), folder);
  if (around?.shows !== 'host' || around.path === folder) return;
  pin(mounts, path.dirname(folder));
  mounts.set(folder, { ...around, path: folder, source: folder });
}

function isShown(mount: Mount | undefined): boolean {
  return mount?.shows === 'host';
}

function show({ real, folder }: Seen, view: 'read' | 'write' | 'hide'): Mount {
  if (view !== 'hide') return { path: real, shows: 'host', source: real, writable: view === 'write' };
  return folder ? { path: real, shows: 'empty', writable: false } : { path: real, shows: 'nothing' };
}

/** Parents before children, which they would otherwise cover. */
function inOrder(mounts: Iterable<Mount>): Mount[] {
  const depth = (mount: Mount) => mount.path.split('/').filter(Boolean).length;
  return [...mounts].sort((a, b) => depth(a) - depth(b) || (a.path < b.path ? -1 : 1));
}
