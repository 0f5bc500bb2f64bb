import type { Completion, EndedByUs, ExitFacts, TachoError } from '../protocol/index.ts';

/** What is known about the end of an attempt. */
export interface CompletionFacts {
  exit: Pick<ExitFacts, 'exit_code' | 'signal'>;
  /** Why tacho ended the attempt, if it did. */
  endedByUs: EndedByUs | null;
  /** Set when the recording process itself was lost. */
  supervisorLost?: boolean;
  /** Why the program was never started. */
  notStarted?: TachoError | null;
}

type Rule = (facts: CompletionFacts) => Completion | null;

/** Ordered; the first that matches decides. Rules 1 and 3 read what engines print, which a plain command does not. */
const RULES: readonly Rule[] = [neverStarted, endedByTacho, failedProcess, exitZero];

export function analyzeCompletion(facts: CompletionFacts): Completion {
  for (const rule of RULES) {
    const completion = rule(facts);
    if (completion) return completion;
  }
  return {
    ...base(5, 'none'),
    state: 'unknown',
    reason_code: 'INCOMPLETE_STATE_CLASSIFICATION',
    confidence: 0.2,
    diagnostics: ['INCOMPLETE_STATE_CLASSIFICATION'],
  };
}

const REASONS: Record<EndedByUs, string> = {
  hard_timeout: 'HARD_TIMEOUT',
  no_progress: 'NO_PROGRESS',
  canceled: 'CANCELED',
  budget: 'BUDGET_EXCEEDED',
  output_cap: 'OUTPUT_CAP',
  disk_full: 'DISK_FULL',
  recording_failed: 'RECORDING_FAILED',
};

function neverStarted({ notStarted, supervisorLost }: CompletionFacts): Completion | null {
  if (!notStarted || supervisorLost) return null;
  return {
    ...base(0, 'tacho'),
    state: 'interrupted',
    reason_code: notStarted.code,
    evidence: [{ kind: 'error', detail: notStarted.message, raw_ref: null }],
  };
}

function endedByTacho({ endedByUs, supervisorLost, exit }: CompletionFacts): Completion | null {
  if (supervisorLost) {
    return {
      ...base(0, 'tacho'),
      state: 'interrupted',
      reason_code: 'SUPERVISOR_LOST',
      diagnostics: ['SUPERVISOR_LOST'],
      evidence: [{ kind: 'supervisor', detail: 'the recording process ended before the attempt did', raw_ref: null }],
    };
  }
  if (!endedByUs) return null;
  return {
    ...base(0, 'tacho'),
    state: 'interrupted',
    reason_code: REASONS[endedByUs],
    evidence: [{ kind: endedByUs, detail: describeExit(exit), raw_ref: null }],
  };
}

function failedProcess({ exit }: CompletionFacts): Completion | null {
  if (exit.exit_code === 0 || (exit.exit_code === null && exit.signal === null)) return null;
  return {
    ...base(2, 'process'),
    state: 'interrupted',
    reason_code: exit.signal ? 'SIGNALED' : 'EXIT_NONZERO',
    evidence: [{ kind: 'exit', detail: describeExit(exit), raw_ref: null }],
  };
}

function exitZero({ exit }: CompletionFacts): Completion | null {
  if (exit.exit_code !== 0) return null;
  return {
    ...base(4, 'process'),
    state: 'completed',
    reason_code: 'EXIT_ZERO',
    evidence: [{ kind: 'exit', detail: describeExit(exit), raw_ref: null }],
  };
}

function base(rule: number, source: Completion['source']) {
  return {
    rule,
    source,
    confidence: 1,
    needs_user_input: false,
    diagnostics: [] as string[],
    evidence: [] as Completion['evidence'],
  };
}

function describeExit({ exit_code, signal }: CompletionFacts['exit']): string {
  if (signal) return `killed by ${signal}`;
  return exit_code === null ? 'never started' : `exit code ${exit_code}`;
}
