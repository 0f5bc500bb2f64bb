import { durationOf } from '../run/record-options.ts';
import { printAnswer, type RuntimeOptions } from './runtime-options.ts';
import { withSession } from './terminal-client.ts';
import { TIMED_OUT } from './terminal-exit.ts';

export interface ScreenOptions extends RuntimeOptions {
  waitFor?: string;
  timeout?: string;
}

const TIMEOUT_MS = 30_000;

/** `tacho terminal screen`: the current screen as text. */
export async function showScreen(selector: string, options: ScreenOptions): Promise<void> {
  const { waitFor: wait_for } = options;
  const wait_ms = durationOf('--timeout', options.timeout) ?? (wait_for === undefined ? 0 : TIMEOUT_MS);
  await withSession(selector, options, async (client, { session_id }) => {
    const params = wait_for === undefined ? { session_id, wait_ms } : { session_id, wait_ms, wait_for };
    const screen = await client.call('session.screen', params);
    // Omits empty rows at the bottom.
    printAnswer(options, screen, `${screen.lines.join('\n').trimEnd()}\n`);
    if (wait_for === undefined || screen.settled) return;
    if (!options.json) process.stderr.write(`tacho: the screen does not show ${wait_for}\n`);
    process.exitCode = TIMED_OUT;
  });
}
