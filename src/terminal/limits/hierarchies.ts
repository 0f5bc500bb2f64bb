import fs from 'node:fs';
import path from 'node:path';

/** A mounted hierarchy of control groups, and our position in it. */
export interface Hierarchy {
  version: 1 | 2;
  mount: string;
  /** The folder of our own group. */
  own: string;
  /** What groups of this hierarchy can limit; for version 2 only what our own group was given. */
  controllers: string[];
}

/** `f_type` of statfs, to check that a mount point really is what it claims to be. */
const FILE_SYSTEM_TYPE = { 1: 0x27e0eb, 2: 0x63677270 } as const;

export function findHierarchies(): Hierarchy[] {
  let parsed: Hierarchy[];
  try {
    parsed = parseHierarchies(
      fs.readFileSync('/proc/self/mountinfo', 'utf8'),
      fs.readFileSync('/proc/self/cgroup', 'utf8'),
    );
  } catch {
    return [];
  }
  return parsed.filter(isMounted).map((hierarchy) => {
    if (hierarchy.version === 1) return hierarchy;
    return { ...hierarchy, controllers: readControllers(hierarchy.own) };
  });
}

/** The controllers available to groups below this one. */
export function readControllers(folder: string): string[] {
  try {
    return fs.readFileSync(path.join(folder, 'cgroup.controllers'), 'utf8').split(/\s+/).filter(Boolean);
  } catch {
    return [];
  }
}

/** Pure: finds our groups in /proc/self/mountinfo and /proc/self/cgroup. */
export function parseHierarchies(mountinfo: string, cgroup: string): Hierarchy[] {
  const found: Hierarchy[] = [];
  for (const line of cgroup.split('\n')) {
    const [, id, names, place] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    if (id === undefined || names === undefined || place === undefined) continue;
    const version = id === '0' && names === '' ? 2 : 1;
    const controllers = names.split(',').filter((name) => name !== '' && !name.startsWith('name='));
    if (version === 1 && controllers.length === 0) continue;
    const mount = mountsOf(mountinfo).find(
      ({ type, options, root }) =>
        type === (version === 2 ? 'cgroup2' : 'cgroup') &&
        controllers.every((name) => options.includes(name)) &&
        isInside(place, root),
    );
    if (mount) {
      found.push({
        version,
        mount: mount.point,
        own: path.join(mount.point, path.relative(mount.root, place)),
        controllers,
      });
    }
  }
  return found;
}

interface Mount {
  root: string;
  point: string;
  type: string;
  options: string[];
}

function mountsOf(mountinfo: string): Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [before, after] = line.split(' - ');
    const [, , , root, point] = (before ?? '').split(' ');
    const [type, , options] = (after ?? '').split(' ');
    if (root === undefined || point === undefined || type === undefined || options === undefined) return [];
    return [{ root: unescapeOctal(root), point: unescapeOctal(point), type, options: options.split(',') }];
  });
}

/** A group outside of the mounted part appears as `/../…` and is not accessible. */
function isInside(place: string, root: string): boolean {
  return !place.includes('/..') && (root === '/' || place === root || place.startsWith(`${root}/`));
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_whole, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

function isMounted({ version, own }: Hierarchy): boolean {
  try {
    return fs.statfsSync(own).type === FILE_SYSTEM_TYPE[version];
  } catch {
    return false;
  }
}
