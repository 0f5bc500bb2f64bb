import type { Meta, RaspDraft, TraceSummary } from '../../protocol/index.ts';
import type { TerminalEnd } from '../../terminal/index.ts';
import { type DraftContext, warningDraft } from './drafts.ts';

type EndFacts = Pick<TerminalEnd, 'drained' | 'outputProcessingRestored' | 'leftBehind'>;

/** As `meta.N.json` has it. */
export function terminalFacts({ cols, rows }: { cols: number; rows: number }, end: EndFacts): Meta['terminal'] {
  const { drained, outputProcessingRestored, leftBehind } = end;
  return { cols, rows, drained, output_processing_restored: outputProcessingRestored, left_behind: leftBehind };
}

/** What is worth a word about how a terminal ended. */
export function terminalWarnings(
  context: DraftContext,
  ts: string,
  end: EndFacts,
  summary: TraceSummary | null = null,
): RaspDraft[] {
  const warnings: RaspDraft[] = [];
  if (!end.drained) warnings.push(warningDraft(context, ts, 'DRAIN_DEADLINE'));
  if (end.outputProcessingRestored) warnings.push(warningDraft(context, ts, 'OUTPUT_PROCESSING_RESTORED'));
  if (end.leftBehind > 0) {
    warnings.push(warningDraft(context, ts, 'PROCESSES_LEFT_BEHIND', { processes: end.leftBehind }));
  }
  if (summary && summary.coverage < 1) {
    warnings.push(warningDraft(context, ts, 'TRACE_INCOMPLETE', { coverage: summary.coverage }));
  }
  return warnings;
}
