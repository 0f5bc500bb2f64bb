import { expect, test } from 'vitest';
import type { SettingsFrom } from '../../../src/protocol/index.ts';
import { requestSettings } from '../../../src/runs/request/request-settings.ts';

const CONFIGURED: SettingsFrom[] = [
  { from: 'default', keys: ['terminal.cols', 'environment.secret_names', 'recording.level'] },
  { from: 'environment', keys: ['limits.timeout_ms'] },
  { from: 'workspace_ignored', file: '.env', keys: ['limits.timeout_ms'] },
];

test('what a request says itself no longer comes from where the configuration has it', () => {
  const said = { cols: 80, limits: { timeout_ms: null, max_attempts: 2 }, recording: { secret_names: ['A'] } };
  expect(requestSettings(said, CONFIGURED, 'command_line')).toEqual([
    { from: 'default', keys: ['recording.level'] },
    { from: 'workspace_ignored', file: '.env', keys: ['limits.timeout_ms'] },
    { from: 'command_line', keys: ['terminal.cols', 'environment.secret_names', 'limits.timeout_ms'] },
  ]);
});

test('a request that says nothing leaves the settings as they were', () => {
  const said = { cols: undefined, limits: { timeout_ms: undefined }, recording: {} };
  expect(requestSettings(said, CONFIGURED, 'request')).toEqual(CONFIGURED);
});
