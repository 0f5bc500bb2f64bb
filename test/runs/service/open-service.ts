import path from 'node:path';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config/index.ts';
import {
  hasEnded,
  type RaspEvent,
  type RunRequest,
  type RunView,
  runRequestSchema,
} from '../../../src/protocol/index.ts';
import { type Director, locateDataHome, openDirector } from '../../../src/runs/index.ts';
import { processesWith, readEvents, tachoCommand, temporaryFolder, until } from '../../support/tacho.ts';
import { memoryLister } from './memory-lister.ts';

export interface Service {
  director: Director;
  home: string;
  reopen(): Promise<Service>;
}

/** A director in this process with its own data folder and real supervisors. */
export async function openService(
  given: {
    home?: string;
    env?: Record<string, string>;
    slots?: number;
    /** Starts a supervisor; the real one by default. */
    command?: string[];
    onProblem?: (error: unknown, place: string) => void;
  } = {},
): Promise<Service> {
  const home = given.home ?? temporaryFolder();
  const env = { ...process.env, ...given.env };
  const context = {
    home: locateDataHome({}, home),
    config: loadConfig({ workspaceRoot: home, env: {} }).config,
    env,
    version: 'test',
  };
  const director = await openDirector({
    context,
    command: given.command ?? [process.execPath, tachoCommand],
    index: memoryLister(),
    slots: given.slots,
    onProblem: given.onProblem,
  });
  onTestFinished(async () => {
    await director.close();
    // Supervisors outlive it, and clean up after the last event.
    await until(() => processesWith(`supervise\u0000${home}`).length === 0);
  });
  return {
    director,
    home,
    async reopen() {
      await director.close();
      return openService({ ...given, home });
    },
  };
}

export const input = (given: object): RunRequest => runRequestSchema.parse(given);
const ended = (run: RunView) => hasEnded(run) || run.status === 'waiting_user';

/** Resolves when the run has ended or waits for an answer. */
export function whenEnded(director: Director, runId: string): Promise<RunView> {
  return new Promise((resolve) => {
    const stop = director.subscribe((change) => {
      if (!('run' in change) || change.run.run_id !== runId || !ended(change.run)) return;
      stop();
      resolve(change.run);
    });
    // It may have been removed; then its end was reported.
    director.get(runId).then(
      (run) => ended(run) && resolve(run),
      () => {},
    );
  });
}

export function eventsOf(home: string, runId: string): RaspEvent[] {
  return readEvents(path.join(home, 'runs', runId, '.audit/events.jsonl'));
}
