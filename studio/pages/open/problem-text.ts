import { byteSize } from '../../model/bytes/byte-size.ts';
import { ArchiveError } from '../../source/archive/archive-error.ts';
import type { say } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

export interface ProblemText {
  said: string;
  fix: string | null;
  /** A command that helps, if there is one. */
  command: string | null;
}

export const EXPORT_COMMAND = 'tacho export <run> --format zip';

/** Why a file cannot be opened, and what to do about it. */
export function problemText(error: Error, text: typeof say): ProblemText {
  const words = strings.open;
  const again = { fix: text(words.fixExport), command: EXPORT_COMMAND };
  if (!(error instanceof ArchiveError))
    return { said: text(words.unreadable)(error.message), fix: null, command: null };
  const { problem } = error;
  switch (problem.kind) {
    case 'not_a_zip':
      return { said: text(words.notZip), ...again };
    case 'no_run':
      return { said: text(words.noRun), ...again };
    case 'several_runs':
      return { said: text(words.severalRuns)(problem.count), ...again };
    case 'damaged':
      return { said: text(words.damaged)(problem.file, problem.what), ...again };
    case 'newer':
      return { said: text(words.newer)(problem.format, problem.known), fix: text(words.fixNewer), command: null };
    case 'too_large': {
      const said = text(words.tooLarge)(problem.file, byteSize(problem.bytes), byteSize(problem.most));
      return { said, fix: text(words.fixLarge), command: 'tacho show <run>' };
    }
  }
}
