import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { captureFixture } from '../../scripts/capture.ts';
import { findRun } from '../../src/recording/index.ts';
import { expectedRunSchema } from '../support/expected-run.ts';
import { exitOf, readFixtureLog } from '../support/fixtures.ts';
import { sandbox, temporaryFolder } from '../support/tacho.ts';

test('a recorded run of an engine becomes a fixture with its exact logs and an expected.json to fill in', async () => {
  const { home, here, audit } = sandbox();
  expect((await here(['run', 'demo', '--engine-arg', '--pace=0', 'hello', '-q'])).code).toBe(0);
  const run = findRun(path.join(home, 'runs'), 'last');
  const fixtures = temporaryFolder();
  const folder = captureFixture(run, fixtures, 'hello');
  expect(path.relative(fixtures, folder)).toBe('demo/hello');
  for (const stream of ['stdout', 'stderr'] as const) {
    expect(readFixtureLog(folder, stream)).toEqual(fs.readFileSync(path.join(audit(), `${stream}.1.log`)));
  }
  expect(readFixtureLog(folder, 'stdout')!.length).toBeGreaterThan(0);
  expect(exitOf(folder, 'split')).toBe(0);
  expectedRunSchema.parse(JSON.parse(fs.readFileSync(path.join(folder, 'expected.json'), 'utf8')));

  expect(() => captureFixture(run, fixtures, 'hello')).toThrow('EEXIST');
  expect(() => captureFixture(run, fixtures, 'other', 2)).toThrow(/attempt 2 of run .* has not ended/);
});

test('a plain command does not become a fixture', async () => {
  const { home, here } = sandbox();
  await here(['run', '-q', 'true']);
  const run = findRun(path.join(home, 'runs'), 'last');
  expect(() => captureFixture(run, temporaryFolder(), 'plain')).toThrow(/is a plain command/);
});

test('an expected.json with an unknown field or code is rejected', () => {
  const expected = JSON.parse(fs.readFileSync('test/fixtures/pi/text/expected.json', 'utf8')) as object;
  expect(expectedRunSchema.safeParse(expected).success).toBe(true);
  for (const wrong of [{ sessions: [] }, { errors: ['NO_SUCH_CODE'] }, { coverage: 2 }, { completion: { auto: {} } }]) {
    expect(expectedRunSchema.safeParse({ ...expected, ...wrong }).success, JSON.stringify(wrong)).toBe(false);
  }
});
