import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { attemptFileNames, metaSchema, TachoError } from '../src/protocol/index.ts';
import { findRun, type RunFolder, readRunRecord } from '../src/recording/index.ts';
import { locateDataHome } from '../src/runs/index.ts';
import type { ExpectedRun } from '../test/support/expected-run.ts';

/** Filled in by a reader of the logs. It must not come from the parser that it tests. */
const TO_FILL_IN: ExpectedRun = {
  session_id: null,
  final_messages: [],
  reasoning: [],
  tools: [],
  usage: null,
  errors: [],
  completion: {
    auto: { state: 'unknown', reason_code: 'FILL_IN' },
    interactive: { state: 'unknown', reason_code: 'FILL_IN' },
  },
  coverage: 1,
};

/** Creates a fixture of an engine from an attempt of a recorded run; returns its folder. */
export function captureFixture(run: RunFolder, fixtures: string, name: string, wanted?: number): string {
  const record = readRunRecord(run);
  if (record.engine === 'text') {
    throw new TachoError('USAGE', `run ${record.handle} is a plain command; fixtures are made from runs of engines`);
  }
  const attempt = wanted ?? record.attempt;
  const names = attemptFileNames(attempt);
  const metaFile = path.join(run.audit, names.meta);
  if (!fs.existsSync(metaFile)) {
    throw new TachoError('USAGE', `attempt ${attempt} of run ${record.handle} has not ended, or there is none`);
  }
  const meta = metaSchema.parse(JSON.parse(fs.readFileSync(metaFile, 'utf8')));
  if (meta.capture.mode === 'merged') {
    throw new TachoError('USAGE', `run ${record.handle} was recorded with one terminal for both streams`, {
      fix: 'Record it again without --capture merged.',
    });
  }
  const folder = path.join(fixtures, record.engine, name);
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  fs.mkdirSync(folder); // Fails if the fixture exists.
  for (const stream of ['stdout', 'stderr'] as const) {
    fs.copyFileSync(path.join(run.audit, names[stream]), path.join(folder, `${stream}.log`));
  }
  const exit = meta.exit_code ?? 128 + (os.constants.signals[meta.signal as NodeJS.Signals] ?? 0);
  fs.writeFileSync(path.join(folder, 'exit'), `${exit}\n`);
  fs.writeFileSync(path.join(folder, 'command.txt'), `${record.command.join(' ')}\n`);
  fs.writeFileSync(path.join(folder, 'expected.json'), `${JSON.stringify(TO_FILL_IN, null, 2)}\n`);
  return folder;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { attempt: { type: 'string' }, name: { type: 'string' }, data: { type: 'string' } },
  });
  const run = findRun(locateDataHome(process.env, values.data).runs, positionals[0] ?? 'last');
  const fixtures = fileURLToPath(new URL('../test/fixtures/', import.meta.url));
  const name = values.name ?? readRunRecord(run).handle;
  const folder = captureFixture(run, fixtures, name, values.attempt === undefined ? undefined : Number(values.attempt));
  process.stdout.write(
    `${path.relative(process.cwd(), folder)}\n` +
      '  The logs are exact: remove keys, names and paths that are not for everybody.\n' +
      '  Fill in expected.json by reading the logs (test/support/expected-run.ts says what each field means).\n' +
      '  Then: UPDATE_FIXTURES=1 npx vitest run test/engines/golden.test.ts\n',
  );
}
