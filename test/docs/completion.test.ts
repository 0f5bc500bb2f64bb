import { expect, test } from 'vitest';
import { TachoError } from '../../src/protocol/index.ts';
import { analyzeCompletion, type CompletionFacts } from '../../src/runs/completion/completion.ts';
import { type EndEvidence, EndObserver } from '../../src/runs/completion/end-evidence.ts';
import { readPage } from './page.ts';

type Facts = Partial<Omit<CompletionFacts, 'evidence'>> & { evidence?: Partial<EndEvidence> };

const seen = { kind: '', detail: '', raw_ref: null };
const error = (code: string): Facts => ({ evidence: { failure: seen, errors: [{ ...seen, code }] } });
const command: Facts = { terminalBy: 'process' };

/** One attempt for each row of the table. */
const ATTEMPTS: readonly Facts[] = [
  { endedByUs: 'hard_timeout' },
  { ...command, endedByUs: 'no_progress' },
  { endedByUs: 'no_progress' },
  { endedByUs: 'auth_rejected' },
  { endedByUs: 'canceled' },
  { endedByUs: 'budget' },
  { endedByUs: 'output_cap' },
  { endedByUs: 'disk_full' },
  { endedByUs: 'recording_failed' },
  { recordTouched: new TachoError('RECORD_TOUCHED', '') },
  { supervisorLost: true },
  { evidence: { doneSignal: { ...seen, signal: { version: '1', state: 'completed' } } } },
  { exit: { exit_code: null, signal: 'SIGKILL' } },
  { exit: { exit_code: 1, signal: null } },
  error('ENGINE_AUTH_REQUIRED'),
  error('ENGINE_RATE_LIMITED'),
  error('ENGINE_NOT_TRUSTED'),
  error('ENGINE_PERMISSION_REJECTED'),
  error('ENGINE_ERROR'),
  { evidence: { failure: { ...seen, detail: 'run_cancelled' } } },
  {},
  { watched: true },
  { evidence: { markers: [{ ...seen, legacy: false }] } },
  { evidence: { markers: [{ ...seen, legacy: false }] }, violations: [{ path: '', message: '' }] },
  { evidence: { terminal: seen } },
  command,
  { evidence: { terminal: seen }, mode: 'interactive' },
  { evidence: { terminal: seen }, markerRequired: true },
  { evidence: { terminal: seen }, mode: 'interactive', unanswerable: true },
  { exit: { exit_code: null, signal: null } },
];

test('the table of reason codes matches the rules', () => {
  const shown = Array.from(
    readPage('docs/completion.md').matchAll(/^\| `([A-Z_]+)` \| (\d) \| (.+?) \|/gm),
    ([, code, rule, state]) => `${code} ${rule} ${state!.replaceAll('`', '')}`,
  );
  const given = ATTEMPTS.map(analyze).map(({ rule, reason_code, state }) =>
    rule === 1 ? `${reason_code} 1 what it names` : `${reason_code} ${rule} ${state}`,
  );
  expect(shown).toEqual(given);
});

function analyze({ evidence = {}, ...facts }: Facts) {
  const nothing = new EndObserver({ signals: { started: [], terminal: [], failed: [] } }).evidence;
  return analyzeCompletion({
    exit: { exit_code: 0, signal: null },
    endedByUs: null,
    terminalBy: 'engine',
    mode: 'auto',
    markerRequired: false,
    evidence: { ...nothing, ...evidence },
    ...facts,
  });
}
