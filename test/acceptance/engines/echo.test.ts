import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { FcmpMessage } from '../../../src/protocol/index.ts';
import { sandbox } from '../../support/tacho.ts';

test('A gemini-style echo of 20 raw lines is suppressed in FCMP with the count, and whole in RASP.', async () => {
  const box = sandbox();
  const said = Array.from({ length: 20 }, (_, index) => `${index + 1}. step number ${index + 1} of the plan`);
  const document = { session_id: 's-1', response: ['Here it is.', ...said].join('\n'), stats: { models: {} } };
  const noise = 'YOLO mode is enabled. All tool calls will be automatically approved.\n';
  const [stdout, stderr] = [path.join(box.home, 'out'), path.join(box.home, 'err')];
  fs.writeFileSync(stdout, JSON.stringify(document, null, 2));
  fs.writeFileSync(stderr, `${noise}${said.map((line) => `  ${line}\n`).join('')}${noise}`);
  const { run_id } = await box.json<{ run_id: string }>([
    'import',
    'gemini',
    '--stdout',
    stdout,
    '--stderr',
    stderr,
    '--exit-code',
    '0',
  ]);

  const raw = box.events(run_id).filter(({ event }) => event.type === 'raw.stderr');
  expect(raw.map(({ data }) => (data as { text: string }).text).join('')).toBe(fs.readFileSync(stderr, 'utf8'));
  const conversation = fs
    .readFileSync(path.join(box.audit(run_id), 'conversation.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const messages = conversation.map((line) => JSON.parse(line) as FcmpMessage);
  const shown = messages.filter(({ type }) => type === 'raw.stderr').map(({ data }) => (data as { text: string }).text);
  expect(shown.join('')).toBe(noise + noise);
  const suppressed = messages.filter(({ data }) => (data as { code?: string }).code === 'RAW_DUPLICATE_SUPPRESSED');
  expect(suppressed.map(({ data }) => data)).toMatchObject([{ suppressed_count: 20 }]);
});
