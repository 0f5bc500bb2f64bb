import type { Unit } from './unit.ts';

/** Units that say nothing of their own: steps towards a message or a result, named as evidence of what they lead to. */
export interface QuietUnits {
  add(unit: Unit): void;
  /** All of them, and from now on none. */
  take(): Unit[];
}

export function createQuietUnits(): QuietUnits {
  let units: Unit[] = [];
  return {
    add(unit) {
      // A message comes in thousands of lines; those that touch are kept as one.
      const last = units.at(-1);
      if (last?.stream === unit.stream && last.to === unit.from) units[units.length - 1] = { ...unit, from: last.from };
      else units.push(unit);
    },
    take() {
      const taken = units;
      units = [];
      return taken;
    },
  };
}
