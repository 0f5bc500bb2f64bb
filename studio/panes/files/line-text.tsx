import type { DiffLine } from '../../../src/record/changes/text-diff.ts';
import { wordMarks } from '../../model/files/word-marks.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

const SIGNS = { same: ' ', removed: '−', added: '+' } as const;
/** Only the beginning of a longer line is rendered; a download has all of it. */
const MAX_CHARACTERS = 4000;

/** One line of a diff, with its changed words marked. */
export function LineText({ line }: { line: DiffLine | null }) {
  const text = useText();
  if (line === null) return <span className="diff-line" data-kind="none" />;
  const { kind, ended } = line;
  const cut = line.text.length > MAX_CHARACTERS;
  const shown = cut ? line.text.slice(0, MAX_CHARACTERS) : line.text;
  return (
    <span className="diff-line" data-kind={kind}>
      <span className="diff-sign" aria-hidden="true">
        {SIGNS[kind]}
      </span>
      {kind !== 'same' && <span className="heard">{text(strings.files[kind])} </span>}
      {wordMarks(shown, line.other).map(({ text: part, changed }, at) => {
        const seen = showUnseen(part);
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a line have no other name, and never move.
        return changed ? <mark key={at}>{seen}</mark> : seen;
      })}
      {cut && <span className="quiet"> … {line.text.length}</span>}
      {!ended && <span className="quiet small"> ⌿ {text(strings.files.noNewline)}</span>}
    </span>
  );
}
