/** Diagnostics about a trace; the keys are the vocabulary. */
const TRACE_DIAGNOSTICS = {
  LINE_UNREADABLE: 'A line is not one a tracer prints.',
  LINE_CUT: 'The trace ends in the middle of a line.',
  LINE_TOO_LONG: 'A line was longer than a reader holds; it was left out.',
  TRACER_MESSAGE: 'The tracer printed a message.',
  CALL_WITHOUT_START: 'The end of a call was seen, its start was not.',
  CALL_WITHOUT_END: 'The start of a call was seen, its end was not.',
  PARENT_GUESSED: 'A process appeared while several others were forking; its parent is a guess.',
  BYTES_MISSING: 'The trace counts more bytes than it shows.',
  STREAM_GUESSED: 'Which stream a descriptor belongs to is a guess.',
  OTHER_TERMINAL: 'Writes to another terminal than the recorded one were left out.',
  WRITE_CUT_BY_DEATH: 'A process was killed inside a write; how much it wrote was read from the recording.',
  BYTES_UNTRACED: 'Recorded bytes that no traced write accounts for were passed over.',
  PLACE_UNCERTAIN: 'The recorded bytes do not show where a write belongs; it was put after the one before it.',
  TRACER_STILL_RUNNING: 'The trace was closed while processes were still being traced.',
  TRACE_NOT_KEPT: 'The trace could not be written to its file.',
} as const;

type TraceDiagnosticCode = keyof typeof TRACE_DIAGNOSTICS;

export interface TraceDiagnostic {
  code: TraceDiagnosticCode;
  message: string;
  /** Line of the trace, from 1; null if it concerns no single line. */
  line: number | null;
  /** How many more of this code were found and are not listed. */
  more?: number;
}

export type ReportTraceDiagnostic = (code: TraceDiagnosticCode, detail: string, line?: number) => void;

// A damaged trace may cause one per line; the first few of each kind are enough.
const LISTED_PER_CODE = 20;

/** Keeps the first diagnostics of each code and counts the others. */
export function collectTraceDiagnostics(): { report: ReportTraceDiagnostic; list(): TraceDiagnostic[] } {
  const kept: TraceDiagnostic[] = [];
  const counts = new Map<TraceDiagnosticCode, number>();
  return {
    report(code, detail, line) {
      const count = (counts.get(code) ?? 0) + 1;
      counts.set(code, count);
      if (count <= LISTED_PER_CODE)
        kept.push({ code, message: `${TRACE_DIAGNOSTICS[code]} ${detail}`, line: line ?? null });
    },
    list() {
      return kept.map((diagnostic, index) => {
        const isLast = kept.findLastIndex(({ code }) => code === diagnostic.code) === index;
        const more = (counts.get(diagnostic.code) ?? 0) - LISTED_PER_CODE;
        return isLast && more > 0 ? { ...diagnostic, more } : diagnostic;
      });
    },
  };
}

/** One line for display. */
export function describeTraceDiagnostic({ code, message, line, more }: TraceDiagnostic): string {
  return `${code}${line === null ? '' : ` (line ${line})`}: ${message}${more ? ` And ${more} more.` : ''}`;
}
