import type { NotCovered } from '../../protocol/index.ts';
import { count, printable } from './format.ts';

/** `not covered: 3 paths ignored by .gitignore (dist, .venv, tmp)` */
export function notCoveredText({ by, paths, examples }: NotCovered): string {
  const why =
    by === 'other_file_system'
      ? 'on another file system'
      : by === 'tacho'
        ? 'of tacho itself'
        : by === 'recording.snapshot_entries' || by === 'recording.snapshot_ms'
          ? `beyond ${by}`
          : `ignored by ${by}`;
  const named = examples.map(printable).join(', ');
  return `not covered: ${count(paths, 'path')} ${why} (${named}${paths > examples.length ? ', …' : ''})`;
}
