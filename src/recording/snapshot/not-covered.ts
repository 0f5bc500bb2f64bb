import type { NotCovered } from '../../protocol/index.ts';
import { leadsToAlwaysCovered } from './ignore/always-covered.ts';
import type { IgnoredBy } from './ignore/ignore-rules.ts';
import { isNotCovered, type NotCoveredReason } from './limits.ts';
import { decodeNames, joinPath } from './listing.ts';
import { textOfName } from './name-bytes.ts';
import type { Snapshot } from './snapshot.ts';
import { STAT_WORDS, typeOf } from './stat-words.ts';

const MAX_EXAMPLES = 5;

/** The setting that raises each limit. */
const BY_REASON = {
  OTHER_FILE_SYSTEM: 'other_file_system',
  ENTRY_LIMIT: 'recording.snapshot_entries',
  TIME_LIMIT: 'recording.snapshot_ms',
} as const satisfies Record<NotCoveredReason, NotCovered['by']>;

/** Paths that a snapshot does not cover, by what excluded them. An ignored folder counts as one path. */
export function notCovered({ directories, rules }: Snapshot): NotCovered[] {
  const groups = new Map<NotCovered['by'], NotCovered>();
  for (const [directory, listing] of directories) {
    if (isNotCovered(listing.error)) add(BY_REASON[listing.error], directory === '' ? '.' : directory);
    let names: string[] | null = null;
    const partial = new Set<IgnoredBy>();
    for (const [index, { hidden, error }] of listing.notes) {
      if (hidden !== 'ignored' && !isNotCovered(error)) continue;
      names ??= decodeNames(listing.names);
      const path = joinPath(directory, names[index]!);
      if (isNotCovered(error)) add(BY_REASON[error], path);
      if (hidden !== 'ignored') continue;
      const by = rules.hiddenBy(directory, names[index]!, typeOf(listing.stats, index * STAT_WORDS) === 'directory');
      if (by === null) continue;
      if (!leadsToAlwaysCovered(directory)) add(by, path);
      else partial.add(by);
    }
    for (const by of partial) add(by, directory);
  }
  return [...groups.values()];

  function add(by: NotCovered['by'], path: string): void {
    const group = groups.get(by) ?? { by, paths: 0, examples: [] };
    groups.set(by, group);
    group.paths++;
    if (group.examples.length < MAX_EXAMPLES) group.examples.push(textOfName(path).text);
  }
}
