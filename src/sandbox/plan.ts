import path from 'node:path';
import type { SandboxRequest } from '../protocol/terminal/index.ts';
import { isInside } from './path-inside.ts';
import { addOwnFolders, addSystem } from './system-view.ts';

/** What is at a path of this machine; null when nothing is. */
export type Look = (path: string) => Seen | null;
export interface Seen {
  folder: boolean;
  /** The path without links. */
  real: string;
  /** What the path itself says when it is a link. */
  link: string | null;
}

/** Where a program is to run. */
export interface Place {
  workspace: string;
  cwd: string;
  environment: Record<string, string>;
  /** Where runs, keys and tokens are kept. Of it, only a run's own working folder is ever shown. */
  dataFolder?: string | undefined;
  /** Other folders that are never shown, such as those of runtimes. */
  hidden?: readonly string[];
  /** Not written, even where the folder around it can be. */
  fixed?: readonly string[];
}

/** One path of the sandbox, and what is there. */
export type Mount = { path: string } & (
  | { shows: 'host'; source: string; writable: boolean }
  | { shows: 'empty'; writable: boolean }
  | { shows: 'nothing' }
  | { shows: 'link'; target: string }
  | { shows: 'processes' | 'devices' }
);

export interface SandboxPlan {
  /** Each after whatever it lies in. No path comes twice. */
  mounts: Mount[];
  network: boolean;
  cwd: string;
  /** Set besides what the program was given. */
  environment: Record<string, string>;
}

export type Planned = { plan: SandboxPlan } | { why: string };

/** What belongs to the sandbox itself: the machine's own would let a program out, or tell it others' secrets. */
const NEVER_SHOWN = ['/proc', '/dev'];
/** In the workspace: the secret and the socket of its runtime, which would run commands outside for anyone. */
const RUNTIME_FOLDER = path.join('.tacho', 'runtime');
/** Of a data folder: where the program of a run works. */
const WORK_FOLDER = /^runs\/[^/]+\/work(\/|$)/;

/** Pure: what was asked for, to what is seen where. A reason when it cannot be. */
export function planSandbox(request: SandboxRequest, place: Place, look: Look): Planned {
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
  const own = [path.join(workspace.real, RUNTIME_FOLDER), ...(place.hidden ?? []), place.dataFolder];
  const hidden = own.flatMap((folder) => (folder === undefined ? [] : (look(folder)?.real ?? [])));
  for (const [item, view] of asked) {
    const seen = look(item);
    if (!seen && view === 'hide') continue;
    if (!seen) return { why: `${item} is not there` };
    const refused = [...NEVER_SHOWN, ...hidden].find((folder) => {
      return (
        isInside(seen.real, folder) && !(item === place.workspace && WORK_FOLDER.test(path.relative(folder, seen.real)))
      );
    });
    if (refused && view !== 'hide') return { why: `${item} is in ${refused}, which is never shown` };
    if (refused) continue;
    const given = path.resolve(item);
    // Whoever works there may have put the link there.
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
      environment: place.environment.TMPDIR === undefined ? {} : { TMPDIR: '/tmp' },
    },
  };
}

/** The mount that decides what is seen at a path: the deepest it lies in. */
export function findMount(mounts: Iterable<Mount>, target: string): Mount | undefined {
  return inOrder(mounts).findLast((mount) => isInside(target, mount.path));
}

function hideFolder(mounts: Map<string, Mount>, folder: string): void {
  if (!isShown(findMount(mounts.values(), folder))) return;
  pin(mounts, path.dirname(folder));
  mounts.set(folder, { path: folder, shows: 'empty', writable: false });
}

/** Makes a path read-only that could be written, unless just that was asked for. A reason when that cannot be held. */
function fix(mounts: Map<string, Mount>, item: string, look: Look): string | null {
  const seen = look(item);
  const around = findMount(mounts.values(), item);
  if (!seen || around?.shows !== 'host' || !around.writable || around.path === item) return null;
  if (seen.real !== item) return `${item} is or lies behind a link, which a program in the workspace could replace`;
  pin(mounts, path.dirname(item));
  mounts.set(item, { path: item, shows: 'host', source: item, writable: false });
  return null;
}

/** What is mounted cannot be moved away, so nothing false is put in the place of what is in it. */
function pin(mounts: Map<string, Mount>, folder: string): void {
  const around = findMount(mounts.values(), folder);
  if (around?.shows === 'host') mounts.set(folder, { ...around, path: folder, source: folder });
}

function isShown(mount: Mount | undefined): boolean {
  return mount?.shows === 'host';
}

function show({ real, folder }: Seen, view: 'read' | 'write' | 'hide'): Mount {
  if (view !== 'hide') return { path: real, shows: 'host', source: real, writable: view === 'write' };
  return folder ? { path: real, shows: 'empty', writable: false } : { path: real, shows: 'nothing' };
}

/** What lies in another comes after it, or would be covered by it. */
function inOrder(mounts: Iterable<Mount>): Mount[] {
  const depth = (mount: Mount) => mount.path.split('/').filter(Boolean).length;
  return [...mounts].sort((a, b) => depth(a) - depth(b) || (a.path < b.path ? -1 : 1));
}
