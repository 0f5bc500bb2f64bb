import type { Stretch } from '../../model/bytes/coverage.ts';
import type { RawRow } from '../../model/bytes/raw-lines.ts';
import { type MarkedSpan, markPieces } from '../../model/bytes/raw-marks.ts';
import type { ByteSpan } from '../../model/bytes/raw-ranges.ts';
import { grouped } from '../../model/run-figures.ts';
import { pieceStyle } from '../../parts/piece-style.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** The gutter of a row: its line, its position in the stream, and the use of its bytes. */
export function RawGutter(props: { line: number | null; from: number; stretches: readonly Stretch[] }) {
  const { line, from, stretches } = props;
  const text = useText();
  return (
    <>
      <span className="raw-line">{line !== null && grouped(line)}</span>
      <span className="raw-offset" data-continued={line === null}>
        {grouped(from)}
      </span>
      <span className="raw-fates">
        {stretches.map((stretch) => (
          <span
            key={stretch.from}
            className="raw-fate"
            data-fate={stretch.fate}
            title={`${text(strings.raw[stretch.fate])}${stretch.seq === null ? '' : ` · ${text(strings.raw.fromEvent)(stretch.seq)}`}`}
            style={{ flexGrow: stretch.to - stretch.from }}
          />
        ))}
      </span>
    </>
  );
}

export function RawText({ row, marks }: { row: RawRow; marks: readonly MarkedSpan[] }) {
  const text = useText();
  return (
    <span className="raw-text">
      {markPieces(row.pieces, marks).map(
        (piece) =>
          piece.shown !== '' && (
            <span
              key={piece.from}
              className="piece"
              data-from={piece.from}
              data-to={piece.to}
              data-kind={piece.kind}
              data-mark={piece.mark}
              title={piece.mark === 'cut' ? text(strings.raw.cut) : undefined}
              {...pieceStyle(piece.style)}
            >
              {piece.shown}
            </span>
          ),
      )}
    </span>
  );
}

/** Bytes as numbers, with their ASCII characters. */
export function RawHex(props: { row: ByteSpan; perRow: number; bytes: Uint8Array; marks: readonly MarkedSpan[] }) {
  const { row, perRow, bytes, marks } = props;
  const cells = [...bytes].map((byte, index) => {
    const at = row.from + index;
    const mark = marks.find(({ from, to }) => from <= at && at < to)?.mark;
    return { byte, at, mark };
  });
  const lead = row.from % perRow;
  return (
    <span className="raw-text">
      <span className="raw-hex">
        {'   '.repeat(lead)}
        {cells.map(({ byte, at, mark }) => (
          <span key={at} data-from={at} data-to={at + 1} data-kind="hex" data-mark={mark}>
            {byte.toString(16).padStart(2, '0')}{' '}
          </span>
        ))}
        {'   '.repeat(perRow - lead - cells.length)}
      </span>
      <span className="raw-ascii">
        {' '.repeat(lead)}
        {cells.map(({ byte, at, mark }) => (
          <span key={at} data-from={at} data-to={at + 1} data-kind="hex" data-mark={mark}>
            {byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·'}
          </span>
        ))}
      </span>
    </span>
  );
}
