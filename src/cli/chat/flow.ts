import { columnsOf, takeColumns } from './columns.ts';
import { collectLines, type LineSink } from './line-sink.ts';
import { createWordReader, type Style, type Word } from './words.ts';

/** Wraps words into lines of a given width, paragraph by paragraph. */
export interface Flow {
  /** Opens a paragraph with a prefix; its further lines are indented by `hanging` columns. */
  begin(paragraph: { prefix: string; prefixColumns: number; hanging: number }): void;
  word(word: Word): void;
  end(): void;
}

export interface FlowOptions {
  sink: LineSink;
  columns(): number;
  paint(text: string, style: Style): string;
}

export function createFlow({ sink, columns, paint }: FlowOptions): Flow {
  let hanging = 0;
  let column = 0;
  let empty = true;

  function nextLine(): void {
    sink.endLine();
    if (hanging > 0) sink.append(' '.repeat(hanging));
    column = hanging;
    empty = true;
  }

  function put(text: string, style: Style, width: number): void {
    sink.append(paint(text, style));
    column += width;
    empty = false;
  }

  /** A word longer than a line is cut at the edge. */
  function putInParts({ pieces }: Word): void {
    for (const { text, style } of pieces) {
      for (let rest = text; rest !== ''; ) {
        const room = columns() - column;
        const part = takeColumns(rest, room);
        const width = columnsOf(part);
        if (width > room && (!empty || column > hanging)) {
          nextLine();
          continue;
        }
        put(part, style, width);
        rest = rest.slice(part.length);
      }
    }
  }

  return {
    begin(paragraph) {
      hanging = Math.min(paragraph.hanging, Math.floor(columns() / 2));
      sink.append(paragraph.prefix);
      column = paragraph.prefixColumns;
      empty = true;
    },
    word(word) {
      const space = empty ? 0 : word.space;
      if (column + space + word.columns > columns() && !empty) nextLine();
      else if (space > 0) {
        sink.append(' '.repeat(space));
        column += space;
      }
      if (column + word.columns > columns()) return putInParts(word);
      for (const { text, style } of word.pieces) put(text, style, columnsOf(text));
    },
    end() {
      sink.endLine();
      hanging = 0;
      column = 0;
      empty = true;
    },
  };
}

/** Wraps text of any length into lines of at most `columns`; keeps its line ends, ignores styles. */
export function wrapText(text: string, columns: number): string[] {
  const sink = collectLines();
  const flow = createFlow({ sink, columns: () => columns, paint: (part) => part });
  for (const line of text.split(/\r?\n/)) {
    const words = createWordReader({ styled: false }).push(line, true);
    const indent = Math.min(words[0]?.space ?? 0, Math.floor(columns / 2));
    flow.begin({ prefix: ' '.repeat(indent), prefixColumns: indent, hanging: indent });
    for (const word of words) flow.word(word);
    flow.end();
  }
  return sink.lines;
}
