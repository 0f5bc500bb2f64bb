import type { Drafter } from '../drafter.ts';
import type { Timed } from '../timed.ts';
import type { Unit } from '../unit.ts';

const COALESCE_MS = 1000;

export interface QuietPhases extends Timed {
  add(name: string, unit: Unit): void;
  flush(): void;
}

/**
 * Signs of life that say nothing else: pieces of thoughts and arguments, counters. There are hundreds in a minute, so
 * those that follow each other become one status event a second, under the name of the newest.
 */
export function createQuietPhases(draft: Drafter): QuietPhases {
  let pending: { name: string; unit: Unit; firstTime: number } | null = null;

  function flush(): void {
    if (!pending) return;
    const { name, unit } = pending;
    pending = null;
    draft.phase(name, unit);
  }

  return {
    add(name, unit) {
      if (pending && (pending.unit.stream !== unit.stream || pending.unit.to !== unit.from)) flush();
      if (pending) pending = { name, unit: { ...unit, from: pending.unit.from }, firstTime: pending.firstTime };
      else pending = { name, unit, firstTime: unit.time };
    },
    flush,
    deadline: () => (pending ? pending.firstTime + COALESCE_MS : Number.POSITIVE_INFINITY),
    fire: flush,
  };
}
