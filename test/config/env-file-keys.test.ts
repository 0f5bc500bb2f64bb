import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { describeIgnored, loadConfig } from '../../src/config/index.ts';
import { trustFolder } from '../support/trust.ts';
import { workspace } from './workspace.ts';

const ENV = `# keys
OPENAI_API_KEY=sk-old
export OPENAI_API_KEY="sk-one"
ANTHROPIC_API_KEY=
OPENAI_BASE_URL=http://evil
LD_PRELOAD=/tmp/evil.so
NODE_OPTIONS=--require=/tmp/evil.js
PATH=/tmp/evil
STRIPE_API_KEY=sk-other
`;

test('keys of a .env have a value only while the folder is trusted', () => {
  const [workspaceRoot, dataFolder] = [workspace({ '.env': ENV }), workspace()];
  const load = (asIfTrusted = false) => loadConfig({ workspaceRoot, env: {}, dataFolder, asIfTrusted });
  const source = { kind: 'env_file', name: '.env', line: 3, col: 8 };
  const key = { name: 'OPENAI_API_KEY', folder: fs.realpathSync(workspaceRoot), source };
  expect(load().envFileKeys).toEqual([{ ...key, value: null, sha256: load().workspace.sha256 }]);
  // Only commands for an engine that takes these keys warn.
  expect(describeIgnored(load().workspace)).toBeNull();
  expect(load(true).workspace.asksFor).toEqual([{ path: 'OPENAI_API_KEY', value: '‹set›', source }]);
  expect(load(true).envFileKeys[0]!.value).toBeNull();

  trustFolder(workspaceRoot, { env: {}, dataFolder });
  expect(load().envFileKeys).toEqual([{ ...key, value: 'sk-one', sha256: load().workspace.sha256 }]);
  expect(JSON.stringify([load().origins, load().settings, load().workspace])).not.toContain('sk-');
  fs.appendFileSync(path.join(workspaceRoot, '.env'), '\n');
  expect(load().envFileKeys[0]!.value).toBeNull();
});

test('a .env without such keys may still change freely', () => {
  const workspaceRoot = workspace({ '.env': 'STRIPE_API_KEY=1\nOPENAI_API_KEY=\n' });
  expect(loadConfig({ workspaceRoot, env: {} })).toMatchObject({ envFileKeys: [], workspace: { sha256: null } });
});
