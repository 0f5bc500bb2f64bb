import fs from 'node:fs';
import path from 'node:path';
import { attemptFileNames } from '../../src/protocol/index.ts';
import { createRunFolder, Recorder, type RunFolder, type TimingHeader } from '../../src/recording/index.ts';
import type { RecordedChunk, RecorderOptions } from '../../src/recording/recorder.ts';
import { temporaryFolder } from '../support/tacho.ts';

export { temporaryFolder };

export const START = Date.parse('2026-11-15T08:00:00.000Z');

export const HEADER: TimingHeader = {
  startedAt: new Date(START),
  term: 'xterm-256color',
  cols: 80,
  rows: 24,
  command: 'printf "a b"',
};

export interface TestRecording {
  folder: RunFolder;
  recorder: Recorder;
  /** Microseconds since the epoch; tests move it. */
  clock: { time: number };
  /** Copies of the announcements. */
  announced: RecordedChunk[];
  failures: unknown[];
  file(name: keyof ReturnType<typeof attemptFileNames>): Buffer;
  pathOf(name: keyof ReturnType<typeof attemptFileNames>): string;
}

export function startRecording(options: Partial<RecorderOptions> = {}, root = temporaryFolder()): TestRecording {
  const folder = createRunFolder(path.join(root, 'runs'), 'text');
  const clock = { time: START * 1000 };
  const announced: RecordedChunk[] = [];
  const failures: unknown[] = [];
  const recorder = new Recorder({
    auditFolder: folder.audit,
    attempt: 1,
    mode: 'split',
    level: 'full',
    clock: { now: () => clock.time },
    header: HEADER,
    onFailure: (error) => failures.push(error),
    ...options,
    onRecorded: (chunks) => {
      for (const chunk of chunks) announced.push({ ...chunk, bytes: Buffer.from(chunk.bytes) });
      options.onRecorded?.(chunks);
    },
  });
  const pathOf = (name: keyof ReturnType<typeof attemptFileNames>) =>
    path.join(folder.audit, attemptFileNames(1)[name]);
  return { folder, recorder, clock, announced, failures, pathOf, file: (name) => fs.readFileSync(pathOf(name)) };
}

/** One thing that happens to a recorder. */
export type Step =
  | { kind: 'a' | 'b' | 'input'; bytes: Buffer; wait: number }
  | { kind: 'resize'; cols: number; rows: number; wait: number }
  | { kind: 'flush'; wait: number };

export function record({ recorder, clock }: TestRecording, steps: readonly Step[]): void {
  for (const step of steps) {
    clock.time += step.wait;
    if (step.kind === 'flush') recorder.flush();
    else if (step.kind === 'resize') recorder.resize(step.cols, step.rows);
    else if (step.kind === 'input') recorder.input(step.bytes);
    else recorder.output(step.kind, step.bytes);
  }
}
