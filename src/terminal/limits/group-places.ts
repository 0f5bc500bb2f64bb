import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type Controller, setLimit } from './controllers.ts';
import { type Group, processesIn, removeGroup } from './group.ts';
import { nameGroup } from './group-name.ts';
import { findHierarchies, type Hierarchy, readControllers } from './hierarchies.ts';

/** Where groups can be made, or the reason why they cannot. */
export type GroupPlace = { works: true; version: 1 | 2; folder: string } | { works: false; why: string };
/** `tree`: a group of version 2, which needs no controller to count CPU time and to be killed as a whole. */
export type GroupKind = Controller | 'tree';

/** What came of trying a folder: for each kind null when it works there, otherwise why not. */
interface Tried extends Group {
  refusals: Partial<Record<GroupKind, string | null>>;
}

const CONTROLLERS = ['memory', 'pids', 'cpu'] as const satisfies readonly Controller[];
const PROBED_LIMIT: Record<Controller, number> = { memory: 1_073_741_824, pids: 1024, cpu: 100 };
let found: Map<GroupKind, GroupPlace> | null = null;

/** Found by making groups and setting limits on them; tried once. */
export function findGroupPlace(kind: GroupKind): GroupPlace {
  found ??= tryHierarchies(findHierarchies());
  return found.get(kind)!;
}

export function tryHierarchies(hierarchies: readonly Hierarchy[]): Map<GroupKind, GroupPlace> {
  // The newer version first: what it has been given, version 1 does not have.
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
 * Below our own group, so that whatever limits us limits our sessions too. A group of version 2 that holds processes, as
 * our own does, cannot give most controllers to others; the one above may, if it was made over to us. One folder for all
 * kinds: a process is in one group of a hierarchy only.
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

/** Null when it works. */
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

/** To make a group is not yet to be allowed to move processes into it. */
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

/** Lets groups below the folder have a controller. */
function giveController(folder: string, controller: string): void {
  if (!readControllers(folder).includes(controller)) throw new Error(`it was not given the controller ${controller}`);
  const file = path.join(folder, 'cgroup.subtree_control');
  if (fs.readFileSync(file, 'utf8').split(/\s+/).includes(controller)) return;
  // The kernel would let it have some controllers all the same, and no group below it any process. The root may do both.
  if (!isRoot(folder) && processesIn({ version: 2, folder }).length > 0) throw new Error('it holds processes itself');
  fs.writeFileSync(file, `+${controller}`, { flag: 'r+' });
}

function isRoot(folder: string): boolean {
  return !fs.existsSync(path.join(folder, 'cgroup.type'));
}
