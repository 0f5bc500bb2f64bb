import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Meta } from '../../../src/protocol/index.ts';
import { sandbox, temporaryFolder } from '../../support/tacho.ts';

test('an engine gets only its keys from the .env of a trusted folder', async () => {
  const [box, cwd, engines] = [sandbox(), temporaryFolder(), temporaryFolder()];
  fs.writeFileSync(
    path.join(cwd, '.env'),
    'OPENAI_API_KEY=sk-from-the-file\nOPENAI_BASE_URL=http://evil\nLD_PRELOAD=/evil.so\n',
  );
  const bin = path.join(engines, 'codex/node_modules/.bin');
  fs.mkdirSync(bin, { recursive: true });
  const got = path.join(engines, 'got');
  const script = `#!/bin/sh\necho "$OPENAI_API_KEY $OPENAI_BASE_URL $LD_PRELOAD" >"${got}"\necho "$OPENAI_API_KEY"\n`;
  fs.writeFileSync(path.join(bin, 'codex'), script, { mode: 0o755 });
  const run = async () => {
    const env = { TACHO_ENGINES_FOLDER: engines };
    const { stdout, stderr } = await box.here(['run', 'codex', '--json', '--cwd', cwd, '--', 'hello'], { cwd, env });
    const { run_id } = JSON.parse(stdout.trim().split('\n').at(-1)!) as { run_id: string };
    const meta = JSON.parse(fs.readFileSync(path.join(box.audit(run_id), 'meta.1.json'), 'utf8')) as Meta;
    return {
      stderr,
      settings: meta.settings!,
      events: fs.readFileSync(path.join(box.audit(run_id), 'events.jsonl'), 'utf8'),
    };
  };

  const before = await run();
  expect(fs.readFileSync(got, 'utf8').trim()).toBe('');
  expect(before.stderr).toContain(
    `OPENAI_API_KEY of .env. To look at them and allow them: tacho trust ${fs.realpathSync(cwd)}`,
  );
  expect(before.settings).toContainEqual({ from: 'workspace_ignored', file: '.env', keys: ['OPENAI_API_KEY'] });
  expect(before.events).toContain('SETTINGS_UNTRUSTED');

  const shown = await box.here(['trust', '--show'], { cwd });
  expect(shown.stdout).toContain('OPENAI_API_KEY = ‹set›  ← .env:1:1');
  const sha256 = /sha256 ([0-9a-f]{64})/.exec(shown.stdout)![1]!;
  expect((await box.here(['trust', '--hash', sha256], { cwd })).code).toBe(0);
  const after = await run();
  expect(fs.readFileSync(got, 'utf8').trim()).toBe('sk-from-the-file');
  expect(after.stderr).not.toContain('SETTINGS_UNTRUSTED');
  expect(after.settings).toContainEqual({ from: 'workspace_trusted', file: '.env', sha256, keys: ['OPENAI_API_KEY'] });
  expect(after.events).not.toContain('sk-from-the-file');
});
