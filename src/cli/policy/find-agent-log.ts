import fs from 'node:fs';
import path from 'node:path';
import { walLocator } from '../../agent/wal/index.ts';
import { EVENTS_FILE, TachoError } from '../../protocol/index.ts';
import { findRun as findRecordedRun, readRunRecord } from '../../recording/index.ts';
import { locateDataHome } from '../../runs/index.ts';
import { findRun } from '../agent/open-agent.ts';
import type { PolicyTestOptions } from '../commands/policy.ts';

export interface AgentLogPlace {
  locator: string;
  /** The folder whose policy counts. */
  workspace: string;
}

/** The log that a person means: by its path, as a run of this folder's agents, or as a run of the engine `agent`. */
export async function findAgentLog(wanted: string, options: PolicyTestOptions): Promise<AgentLogPlace> {
  const chosen = options.cwd === undefined ? null : path.resolve(options.cwd);
  if (wanted.includes('/')) return inFile(path.resolve(wanted), chosen);
  const here = chosen ?? process.cwd();
  try {
    const runId = await findRun(wanted, options);
    return { locator: walLocator(here, runId), workspace: here };
  } catch (error) {
    if (!(error instanceof TachoError) || error.code !== 'RUN_NOT_FOUND') throw error;
  }
  const home = locateDataHome(process.env, options.data);
  const { engine, handle, cwd, session_id } = readRunRecord(findRecordedRun(home.runs, wanted));
  if (engine === 'agent' && session_id) return { locator: walLocator(cwd, session_id), workspace: chosen ?? cwd };
  throw new TachoError('USAGE', `run ${handle} has no log of an agent: its engine is ${engine}`, {
    fix: 'Choose a run of the engine agent; list runs with: tacho runs',
  });
}

/** `<workspace>/.tacho/runs/<run>/events.jsonl`, or the folder of the run. */
function inFile(given: string, chosen: string | null): AgentLogPlace {
  const isFolder = fs.statSync(given, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const locator = isFolder ? path.join(given, EVENTS_FILE) : given;
  if (!fs.existsSync(locator)) {
    throw new TachoError('RUN_NOT_FOUND', `there is no log at ${locator}`, { facts: { path: locator } });
  }
  return { locator, workspace: chosen ?? path.resolve(path.dirname(locator), '../../..') };
}
