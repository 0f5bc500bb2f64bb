import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type OpenWalOptions, openWal, type Wal } from '../../../src/agent/wal/index.ts';
import type { AgentDraft, AgentEvent } from '../../../src/protocol/index.ts';
import { removeFolder } from '../../support/tacho.ts';

export const RUN = 'run-1';
const FIRST_TIME = Date.parse('2026-11-15T08:00:00.000Z');

/** An empty workspace that is removed after the test. */
export function emptyWorkspace(within = tmpdir()): string {
  const folder = mkdtempSync(join(within, 'tacho-wal-'));
  onTestFinished(() => removeFolder(folder));
  return folder;
}

export async function newWal(workspaceRoot: string, options: Partial<OpenWalOptions> = {}): Promise<Wal> {
  const wal = await openWal({ workspaceRoot, runId: RUN, create: true, ...options });
  onTestFinished(() => wal.close().catch(() => {}));
  return wal;
}

export function resumedWal(workspaceRoot: string, options: Partial<OpenWalOptions> = {}): Promise<Wal> {
  return newWal(workspaceRoot, { create: false, ...options });
}

export function message(text: string, time = FIRST_TIME): AgentDraft<'user_message'> {
  return { ts: new Date(time).toISOString(), type: 'user_message', data: { text, origin: 'task', when: 'now' } };
}

export function messages(count: number): AgentDraft[] {
  return Array.from({ length: count }, (_, index) => message(`message ${index}`, FIRST_TIME + index));
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export function textOf(event: AgentEvent): string {
  return (event.data as { text: string }).text;
}
