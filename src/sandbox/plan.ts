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

/** Where a program shall run. */
export interface Place {
  workspace: string;
  cwd: string;
  environment: Record<string, string>;
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
  const runtimeFolder = path.join(workspace.real, RUNTIME_FOLDER);
  for (const [item, view] of asked) {
    const seen = look(item);
    if (!seen && view === 'hide') continue;
    if (!seen) return { why: `${item} is not there` };
    const refused = [...NEVER_SHOWN, runtimeFolder].find((folder) => isInside(seen.real, folder));
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
  if (look(runtimeFolder)) hideRuntime(mounts, runtimeFolder);
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

function hideRuntime(mounts: Map<string, Mount>, folder: string): void {
  const above = path.dirname(folder);
  const around = findMount(mounts.values(), above);
  // What is mounted cannot be moved away, so nobody puts a false runtime in its place.
  if (around?.shows === 'host') mounts.set(above, { ...around, path: above, source: above });
  mounts.set(folder, { path: folder, shows: 'empty', writable: false });
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
