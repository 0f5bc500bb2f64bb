import fc from 'fast-check';
import type { RaspEvent } from '../../src/protocol/index.ts';

/** Unknown types in known and unknown categories, and names of built-in properties. */
export const unknownType = fc.constantFrom(
  'lifecycle.run.paused',
  'agent.thought.branched',
  'tool.call.progress',
  'diagnostic.model.note',
  'raw.audio',
  'artifact.renamed',
  'interaction.vote.cast',
  'telepathy.started',
  'unheard_of',
  '',
  '.',
  'constructor',
  '__proto__',
  'toString',
);

export const unknownData: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, 'text', 7, true, [], {}, [1, 'two'], { text: 5 }, { code: null, severity: 1 }, { items: 'x' }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Events that a newer version of tacho might write, for any position in a run. */
export const unknownEvent = fc.record({ type: unknownType, data: unknownData, at: fc.nat(), more: fc.jsonValue() });

/** `events` mixed with unknown ones, renumbered, and with unknown fields in all of them. */
export function withUnknown(
  events: readonly RaspEvent[],
  unknown: readonly { type: string; data: unknown; at: number; more: unknown }[],
): RaspEvent[] {
  const mixed: unknown[] = [...events];
  for (const { type, data, at, more } of unknown) {
    const beside = events[at % events.length]!;
    const event = { category: type.split('.')[0], type, more };
    mixed.splice(at % (mixed.length + 1), 0, { ...beside, event, data, more });
  }
  return mixed.map((event, index) => ({ ...(event as RaspEvent), seq: index + 1 }));
}
