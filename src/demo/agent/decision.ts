import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import type { ApprovalDecision } from './agent-event.ts';

export interface Decision {
  decision: ApprovalDecision;
  reason?: string;
}

/** A source of decisions. Called for one approval; the signal aborts when it is no longer needed. */
export type DecisionSource = (approvalId: string, signal: AbortSignal) => Promise<Decision>;

/** The first decision of any source; null when none arrives in time. */
export async function waitForDecision(
  approvalId: string,
  waitMs: number,
  sources: readonly DecisionSource[],
): Promise<Decision | null> {
  const stop = new AbortController();
  const timeIsUp = new Promise<null>((resolve) => {
    const timer = setTimeout(() => resolve(null), waitMs);
    stop.signal.addEventListener('abort', () => clearTimeout(timer));
  });
  try {
    return await Promise.race([timeIsUp, ...sources.map((source) => source(approvalId, stop.signal))]);
  } finally {
    stop.abort();
  }
}

const POLL_INTERVAL_MS = 100;

/** `<folder>/<approval id>.decision.json` with `{"status": "approved"}` or `denied`, and an optional reason. */
export function decisionFromFile(folder: string): DecisionSource {
  return (approvalId, signal) =>
    new Promise((resolve) => {
      const check = () => {
        const decision = readDecision(folder, approvalId);
        if (!decision) return;
        clearInterval(timer);
        resolve(decision);
      };
      const timer = setInterval(check, POLL_INTERVAL_MS);
      signal.addEventListener('abort', () => clearInterval(timer));
      check();
    });
}

export function readDecision(folder: string, approvalId: string): Decision | null {
  try {
    const text = fs.readFileSync(path.join(folder, `${approvalId}.decision.json`), 'utf8');
    const { status, reason } = JSON.parse(text) as Record<string, unknown>;
    if (status !== 'approved' && status !== 'denied') return null;
    return { decision: status, ...(typeof reason === 'string' ? { reason } : {}) };
  } catch {
    return null; // Missing or incomplete.
  }
}

/** A line that says yes or no, typed into the agent's terminal. */
export function decisionFromInput(input: NodeJS.ReadableStream): DecisionSource {
  return (_, signal) =>
    new Promise((resolve) => {
      const lines = readline.createInterface({ input });
      lines.on('line', (line) => {
        const decision = decisionInWords(line);
        if (decision) resolve(decision);
      });
      signal.addEventListener('abort', () => {
        lines.close();
        // An input that is only paused would keep the process alive.
        (input as { unref?: () => void }).unref?.();
      });
    });
}

/** The decision in a user's first word; null if unclear. */
export function decisionInWords(text: string): Decision | null {
  const [word = ''] = /[a-z]+/i.exec(text) ?? [];
  if (/^(y|yes|ok|approved?|allow(ed)?)$/i.test(word)) return { decision: 'approved' };
  if (/^(n|no|den(y|ied)|refused?)$/i.test(word)) return { decision: 'denied' };
  return null;
}
