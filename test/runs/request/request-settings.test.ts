import { expect, test } from 'vitest';
import type { SettingsFrom } from '../../../src/protocol/index.ts';
import { requestSettings } from '../../../src/runs/request/request-settings.ts';

const CONFIGURED: SettingsFrom[] = [
  { from: 'default', keys: ['terminal.cols', 'environment.secret_names', 'recording.level'] },
  { from: 'environment', keys: ['limits.timeout_ms'] },
  { from: 'workspace_ignored', file: '.env', keys: ['limits.timeout_ms'] },
];

test('a value set by the request no longer has the origin of the configuration', () => {
  const said = { cols: 80, limits: { timeout_ms: null, max_attempts: 2 }, recording: { secret_names: ['A'] } };
  expect(requestSettings(said, CONFIGURED, 'command_line')).toEqual([
    { from: 'default', keys: ['recording.level'] },
    { from: 'workspace_ignored', file: '.env', keys: ['limits.timeout_ms'] },
    { from: 'command_line', keys: ['terminal.cols', 'environment.secret_names', 'limits.timeout_ms'] },
  ]);
});

test('an empty request leaves the settings unchanged', () => {
  const said = { cols: undefined, limits: { timeout_ms: undefined }, recording: {} };
  expect(requestSettings(said, CONFIGURED, 'request')).toEqual(CONFIGURED);
});
