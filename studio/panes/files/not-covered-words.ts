import type { NotCovered } from '../../../src/protocol/index.ts';
import type { say } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { visibleName } from './visible-name.ts';

const words = strings.files.notCovered;

/** Why the list of changes does not cover some paths. */
export function notCoveredWords({ by, paths }: NotCovered, text: typeof say): string {
  switch (by) {
    case 'other_file_system':
      return text(words.otherFileSystem)(paths);
    case 'tacho':
      return text(words.own)(paths);
    case 'recording.snapshot_entries':
    case 'recording.snapshot_ms':
      return text(words.limit)(paths, by);
    case 'recording.ignore':
    case '.gitignore':
    case '.git/info/exclude':
      return text(words.ignored)(paths, by);
  }
}

export function examplesOf({ paths, examples }: NotCovered): string {
  return examples.map(visibleName).join(', ') + (paths > examples.length ? ' …' : '');
}
