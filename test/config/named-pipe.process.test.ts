import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { failure, workspace } from './workspace.ts';

test('a named pipe in place of the file is refused without waiting for its writer', () => {
  const root = workspace({ 'config/other': '' });
  execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'sh', join(root, 'config/tacho.yaml')]);
  expect(failure(() => loadConfig({ workspaceRoot: root, env: {} })).message).toBe(
    'config/tacho.yaml: is not a regular file',
  );
});
