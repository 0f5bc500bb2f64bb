import type { EngineProfile } from '../../engines/index.ts';
import { type Clock, timestamp } from '../../recording/index.ts';
import type { AttemptFacts } from './attempt-facts.ts';
import type { AttemptLog } from './attempt-log.ts';
import type { RecordingSettings, RecordOptions } from './attempt-plan.ts';
import type { AttemptSteps } from './attempt-steps.ts';
import { terminalWarnings } from './closing.ts';
import type { DraftContext } from './drafts.ts';
import { LiveRecord, type LiveRecordOptions } from './live-record.ts';
import type { PreparedRun } from './prepare-run.ts';
import type { Program, ProgramEnd } from './programs/program.ts';

export interface ProgramRecord extends Pick<LiveRecordOptions, 'onRecorded' | 'onFailure'> {
  run: PreparedRun;
  profile: EngineProfile;
  recording: RecordingSettings;
  clock: Clock;
  log: AttemptLog;
  program: Program;
}

/** Opens the record of a program's output. */
export function openProgramRecord(
  { run, profile, recording, clock, log, program, onRecorded, onFailure }: ProgramRecord,
  { mode, header, secrets }: RecordOptions,
): LiveRecord {
  const { folder, attempt, record } = run;
  return new LiveRecord({
    folder,
    attempt,
    engine: record.engine,
    mode,
    level: recording.level,
    header: { ...header, startedAt: new Date(Math.floor(clock.now() / 1000)), command: record.command.join(' ') },
    clock,
    log,
    profile,
    secrets,
    limits: { checkpointBytes: recording.checkpoint_bytes, checkpointMs: recording.checkpoint_ms },
    onRecorded,
    onFailure,
    pause: () => program.pause(),
    resume: () => program.resume(),
  });
}

/** Closes the record after the program has delivered all output; adds the results to the facts. */
export async function closeProgramRecord(
  record: LiveRecord | null,
  ending: {
    program: Program | null;
    facts: AttemptFacts;
    steps: AttemptSteps;
    drafts: DraftContext;
    clock: Clock;
    putBack(): Promise<void>;
  },
  { exit_code, signal, terminal }: ProgramEnd,
): Promise<void> {
  const { program, facts, steps, drafts, clock, putBack } = ending;
  if (terminal) {
    const { cols, rows, drained, leftBehind, outputProcessingRestored } = terminal;
    facts.terminal = {
      cols,
      rows,
      drained,
      output_processing_restored: outputProcessingRestored,
      left_behind: leftBehind,
    };
  }
  try {
    if (record && facts.startedAt !== null) {
      await record.end({ exit_code, signal, time: facts.endedAt / 1000 });
      facts.trace = (await program?.summarize?.(record.outputBytes)) ?? null;
      await record.seal(terminalWarnings(drafts, timestamp(clock.now()), { terminal, trace: facts.trace }));
    }
  } finally {
    await steps.run('terminal', () => program?.close());
    // The files stay open until here, so that they can be restored.
    await steps.run('record', putBack);
    await steps.run('terminal', () => record?.close());
    if (record) {
      facts.outputBytes = record.outputBytes;
      if (record.failure) steps.fail('terminal', record.failure);
    }
  }
}
