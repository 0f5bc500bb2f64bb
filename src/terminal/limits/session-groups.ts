import type { SessionLimits } from '../../protocol/terminal/index.ts';
import { type Controller, countStrikes, readCpuMs, readUsage, setLimit } from './controllers.ts';
import { type Group, killGroup, processesIn, removeGroup, setValue } from './group.ts';
import { findGroupPlace, type GroupKind, makeGroup } from './group-places.ts';
import { limitUnavailable } from './resource-limits.ts';

/** Which limit needs which kind of group. */
const CONTROLLERS = { memory_bytes: 'memory', processes: 'pids', cpu_percent: 'cpu' } as const satisfies Partial<
  Record<keyof SessionLimits, Controller>
>;
type GroupLimit = keyof typeof CONTROLLERS;

/** The limits that need a control group. */
export const GROUP_LIMITS = Object.keys(CONTROLLERS) as GroupLimit[];

/** The control groups of one session: one for each hierarchy that is needed. */
export class SessionGroups {
  readonly #groups: ReadonlyMap<GroupKind, Group>;

  /** Null if no limit needs a group. */
  static open(limits: SessionLimits, id: string): SessionGroups | null {
    const wanted = GROUP_LIMITS.filter((name) => limits[name] !== undefined);
    if (wanted.length === 0) return null;
    refuseUnavailable(wanted);
    const groups = new Map<GroupKind, Group>();
    try {
      for (const name of wanted) {
        const group = makeGroupFor(groups, CONTROLLERS[name], id);
        if (group) setLimit(group, CONTROLLERS[name], limits[name]!);
      }
      if (findGroupPlace('tree').works) makeGroupFor(groups, 'tree', id);
    } catch (cause) {
      void new SessionGroups(groups).remove();
      throw limitUnavailable(Object.fromEntries(wanted.map((name) => [name, (cause as Error).message])), cause);
    }
    return new SessionGroups(groups);
  }

  private constructor(groups: ReadonlyMap<GroupKind, Group>) {
    this.#groups = groups;
  }

  /** Adds a process; everything it starts afterwards is included. */
  join(pid: number): void {
    for (const group of this.#folders()) setValue(group, 'cgroup.procs', pid);
  }

  kill(): void {
    for (const group of this.#folders()) killGroup(group);
  }

  /** All processes in the groups. */
  processes(): number[] {
    return processesIn(this.#folders()[0]!);
  }

  strikes(controller: 'memory' | 'pids'): number {
    const group = this.#groups.get(controller);
    return group ? countStrikes(group, controller) : 0;
  }

  /** Null if no group of the session counts it. */
  usage(): { cpuMs: number | null; memoryBytes: number | null } {
    const memory = this.#groups.get('memory');
    const counting = this.#folders().find(({ version }) => version === 2);
    return {
      cpuMs: counting ? readCpuMs(counting) : null,
      memoryBytes: memory ? readUsage(memory, 'memory') : null,
    };
  }

  async remove(): Promise<void> {
    await Promise.all(this.#folders().map(removeGroup));
  }

  /** One group may serve several kinds. */
  #folders(): Group[] {
    return [...new Set(this.#groups.values())];
  }
}

function refuseUnavailable(wanted: readonly GroupLimit[]): void {
  const reasons: Record<string, string> = {};
  for (const name of wanted) {
    const place = findGroupPlace(CONTROLLERS[name]);
    if (!place.works) reasons[name] = place.why;
  }
  if (Object.keys(reasons).length > 0) throw limitUnavailable(reasons);
}

/** A new group, or the existing one in the same place. */
function makeGroupFor(groups: Map<GroupKind, Group>, kind: GroupKind, id: string): Group | null {
  const place = findGroupPlace(kind);
  if (!place.works) return null;
  const wanted = [...groups].find(([other]) => {
    const there = findGroupPlace(other);
    return there.works && there.folder === place.folder;
  });
  const group = wanted?.[1] ?? makeGroup(place, id);
  groups.set(kind, group);
  return group;
}
