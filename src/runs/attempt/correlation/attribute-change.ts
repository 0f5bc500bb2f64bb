import path from 'node:path';
import type { FsChange } from '../../../protocol/index.ts';
import { type CallTarget, mentions } from './tool-paths.ts';

/** The facts about a tool call that matter for attributing changed files. */
export interface ObservedCall extends CallTarget {
  call_id: string;
  /** Of its first event. */
  seq: number;
  /** Milliseconds since the epoch, by the engine's clock if it reports one, else when its events were read. */
  startedAt: number;
  endedAt: number | null;
  failed: boolean;
}

/** The tool call that changed a path, with the method and confidence of the attribution. */
export interface Attribution {
  call_id: string;
  seq: number;
  by: 'arguments' | 'command' | 'time';
  confidence: number;
}

/**
 * The call that changed a path: the last one whose arguments name it; else one whose command line names it; else the
 * one that was running when the file was last written. Null without any evidence.
 */
export function attributeChange(
  change: FsChange,
  calls: Iterable<ObservedCall>,
  workspace: string,
): Attribution | null {
  const file = path.join(workspace, change.path);
  const writtenAt = change.after ? Number(BigInt(change.after.mtime_ns) / 1_000_000n) : null;
  let best: Attribution | null = null;
  for (const call of calls) {
    if (call.readsOnly) continue;
    const found = judge(call, change, file, writtenAt);
    // Of two equally likely calls, the later one made the last change.
    if (found && found.confidence >= (best?.confidence ?? 0)) best = contested(found, best);
  }
  return best;
}

function judge(call: ObservedCall, change: FsChange, file: string, writtenAt: number | null): Attribution | null {
  const { call_id, seq } = call;
  const inTime = writtenAt !== null && wasRunning(call, writtenAt);
  const named = call.paths.some((name) => name === file || (change.type === 'directory' && isInside(name, file)));
  if (named) return { call_id, seq, by: 'arguments', confidence: call.failed ? 0.6 : 0.95 };
  if (call.command !== null && mentions(call.command, change.path)) {
    return { call_id, seq, by: 'command', confidence: inTime ? 0.9 : 0.6 };
  }
  return inTime ? { call_id, seq, by: 'time', confidence: 0.5 } : null;
}

/** A time alone cannot distinguish two concurrent calls. */
function contested(found: Attribution, other: Attribution | null): Attribution {
  const both = found.by === 'time' && other?.by === 'time' && other.call_id !== found.call_id;
  return both ? { ...found, confidence: 0.3 } : found;
}

/** File times come from the kernel's coarse clock, which lags by up to a tick. */
const COARSE_CLOCK_MS = 10;

function wasRunning({ startedAt, endedAt }: ObservedCall, time: number): boolean {
  return time >= startedAt - COARSE_CLOCK_MS && time <= (endedAt ?? Number.POSITIVE_INFINITY);
}

function isInside(name: string, folder: string): boolean {
  return name.startsWith(`${folder}${path.sep}`);
}
