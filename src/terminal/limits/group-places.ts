import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type Controller, setLimit } from './controllers.ts';
import { type Group, processesIn, removeGroup } from './group.ts';
import { nameGroup } from './group-name.ts';
import { findHierarchies, type Hierarchy, readControllers } from './hierarchies.ts';

/** Where groups can be created, or why they cannot. */
export type GroupPlace = { works: true; version: 1 | 2; folder: string } | { works: false; why: string };
/** `tree`: a group of version 2, which can count CPU time and kill all its processes without a controller. */
export type GroupKind = Controller | 'tree';

/** Result of trying a folder: for each kind null if it works, otherwise why not. */
interface Tried extends Group {
  refusals: Partial<Record<GroupKind, string | null>>;
}

const CONTROLLERS = ['memory', 'pids', 'cpu'] as const satisfies readonly Controller[];
const PROBED_LIMIT: Record<Controller, number> = { memory: 1_073_741_824, pids: 1024, cpu: 100 };
let found: Map<GroupKind, GroupPlace> | null = null;

/** Found by creating groups and setting limits; tried once. */
export function findGroupPlace(kind: GroupKind): GroupPlace {
  found ??= tryHierarchies(findHierarchies());
  return found.get(kind)!;
}

export function tryHierarchies(hierarchies: readonly Hierarchy[]): Map<GroupKind, GroupPlace> {
  // The newer version first: controllers that it has are not available to version 1.
  const tried = hierarchies.toSorted((a, b) => b.version - a.version).map(tryHierarchy);
  const places = new Map<GroupKind, GroupPlace>();
  for (const kind of ['tree', ...CONTROLLERS] as const) {
    const place = tried.find(({ refusals }) => refusals[kind] === null);
    const whys = tried.flatMap(({ folder, refusals }) => (refusals[kind] ? [`${folder}: ${refusals[kind]}`] : []));
    const why = whys.join('; ') || 'no hierarchy of control groups is mounted that has it';
    places.set(kind, place ? { works: true, version: place.version, folder: place.folder } : { works: false, why });
  }
  return places;
}

/**
 * Creates groups below our own group, so that our limits also apply to our sessions. A group of version 2 that contains
 * processes, as ours does, cannot delegate most controllers; its parent can, if it was delegated to us. All kinds use
 * one folder, because a process is in one group of a hierarchy only.
 */
function tryHierarchy({ version, own, mount, controllers }: Hierarchy): Tried {
  const kinds = CONTROLLERS.filter((kind) => version === 2 || controllers.includes(kind));
  const count = ({ refusals }: Tried) => Object.values(refusals).filter((refusal) => refusal === null).length;
  const here = tryFolder({ version, folder: own }, kinds);
  if (version === 1 || own === mount || count(here) === kinds.length + 1) return here;
  const above = tryFolder({ version, folder: path.dirname(own) }, kinds);
  return count(above) > count(here) ? above : here;
}

function tryFolder(group: Group, controllers: readonly Controller[]): Tried {
  const refusals: Tried['refusals'] = {};
  for (const kind of group.version === 2 ? (['tree', ...controllers] as const) : controllers) {
    refusals[kind] = tryKind(group, kind);
  }
  return { ...group, refusals };
}

/** Null if it works. */
function tryKind(place: Group, kind: GroupKind): string | null {
  let made: Group | null = null;
  try {
    if (place.version === 2 && kind !== 'tree') giveController(place.folder, kind);
    made = makeGroup(place, `probe-${kind}`);
    if (kind !== 'tree') setLimit(made, kind, PROBED_LIMIT[kind]);
    return tryJoin(made);
  } catch (error) {
    return (error as Error).message;
  } finally {
    if (made) void removeGroup(made);
  }
}

/** Permission to create a group does not include permission to move processes into it. */
function tryJoin({ folder }: Group): string | null {
  const script = ['-c', 'echo 0 >"$0"', path.join(folder, 'cgroup.procs')];
  const { status, stderr } = spawnSync('/bin/sh', script, { encoding: 'utf8', env: {} });
  return status === 0 ? null : `no process can be moved into its groups: ${stderr.trim()}`;
}

export function makeGroup({ version, folder }: Group, id: string): Group {
  const made = { version, folder: path.join(folder, nameGroup(id)) };
  fs.mkdirSync(made.folder);
  return made;
}

/** Enables a controller for groups below the folder. */
function giveController(folder: string, controller: string): void {
  if (!readControllers(folder).includes(controller)) throw new Error(`it was not given the controller ${controller}`);
  const file = path.join(folder, 'cgroup.subtree_control');
  if (fs.readFileSync(file, 'utf8').split(/\s+/).includes(controller)) return;
  // The kernel would enable some controllers anyway, but then no child group could hold processes. The root group has
  // no such restriction.
  if (!isRoot(folder) && processesIn({ version: 2, folder }).length > 0) throw new Error('it holds processes itself');
  fs.writeFileSync(file, `+${controller}`, { flag: 'r+' });
}

function isRoot(folder: string): boolean {
  return !fs.existsSync(path.join(folder, 'cgroup.type'));
}
