/** Codes of diagnostic events. Stable, one sentence each; the page and the docs print the sentence. */
export const DIAGNOSTIC_CODES = {
  PTY_STREAM_MISMATCH: 'The merged log and the split logs, recorded apart, do not hold the same messages.',
  PTY_FALLBACK_USED: 'A message was taken from the merged log because the split log lacks it.',
  LOW_CONFIDENCE_PARSE: 'The reading of this output is uncertain.',
  UNPARSED_CONTENT: 'Output of a structured engine that its parser could not read.',
  RAW_DUPLICATE_SUPPRESSED: 'Raw lines that repeat a message were left out of the conversation.',
  RAW_COALESCED: 'Many raw lines were put together into one event.',
  LINE_TOO_LONG: 'A line was longer than a parser holds and was split.',
  LEGACY_DONE_MARKER: 'The done marker was written in its old lower-case form.',
  MULTIPLE_DONE_MARKERS: 'More than one done marker was seen; the first one counts.',
  DONE_MARKER_MISSING: 'The run asked for a done marker and none was seen.',
  DONE_MARKER_FAILURE_CONFLICT: 'A done marker was seen together with evidence of failure.',
  DONE_SIGNAL_INVALID: 'A done signal was seen but does not follow its schema.',
  ENGINE_ERROR: 'The engine reported an error.',
  ENGINE_AUTH_REQUIRED: 'The engine could not authenticate.',
  ENGINE_RATE_LIMITED: 'The model service limits the rate of requests.',
  ENGINE_RETRY: 'The engine tries again.',
  ENGINE_NO_PROGRESS: 'The engine printed nothing for longer than allowed.',
  ENGINE_ENDED_WITHOUT_TERMINAL_EVENT: 'The engine exited without saying that it had finished.',
  CHANNEL_DRIFT: 'Output was found on another stream than the usual one.',
  INCOMPLETE_STATE_CLASSIFICATION: 'No rule could tell how the attempt ended.',
  CAPTURE_DEGRADED: 'Less was recorded than asked for.',
  SUPERVISOR_LOST: 'The process that recorded this attempt died before the end.',
  JOURNAL_REPAIRED: 'The event log ended in the middle of a line; the fragment was set aside.',
  OUTPUT_PROCESSING_RESTORED:
    'The program turned terminal output processing on again; line ends may differ from what it wrote.',
  DRAIN_DEADLINE: 'The terminal could not be drained in time; the tail of the output may be missing.',
  PROCESSES_LEFT_BEHIND: 'Processes of the run were still alive after it ended and were ended.',
  SNAPSHOT_INCOMPLETE: 'Some files of the workspace could not be read.',
  TRACE_INCOMPLETE: 'The system-call trace does not account for every recorded byte.',
} as const;

export type DiagnosticCode = keyof typeof DIAGNOSTIC_CODES;
