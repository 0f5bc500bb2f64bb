import { RecentMap } from '../../recent-map.ts';

export type Source = 'event' | 'response';

/**
 * codex writes what was said and thought twice, as an event and as the item of a response, in either order and without a
 * common id. The second writing of a text is the one from the other source.
 */
export function createSaidTwice(): (source: Source, text: string) => boolean {
  /** Texts that only one source has had, and how often. */
  const alone: Record<Source, RecentMap<string, number>> = { event: new RecentMap(), response: new RecentMap() };

  /** True for the first writing. */
  return (source, text) => {
    const others = alone[source === 'event' ? 'response' : 'event'];
    const count = others.get(text) ?? 0;
    if (count > 1) others.set(text, count - 1);
    else others.delete(text);
    if (count > 0) return false;
    alone[source].set(text, (alone[source].get(text) ?? 0) + 1);
    return true;
  };
}
