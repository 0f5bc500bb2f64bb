import type { ChangeKind } from '../../model/files/file-changes.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

const SHAPES: Record<ChangeKind, string> = { created: '+', modified: '~', deleted: '−' };

/** The kind of change of a path, as a shape and a colour; as a word for screen readers, or next to it. */
export function ChangeMark({ kind, word = false }: { kind: ChangeKind; word?: boolean }) {
  const text = useText();
  const said = text(strings.files[kind]);
  return (
    <span className="change-mark" data-kind={kind} title={said}>
      <span className="bytes" aria-hidden="true">
        {SHAPES[kind]}
      </span>
      {word ? ` ${said}` : <span className="heard">{said}</span>}
    </span>
  );
}
