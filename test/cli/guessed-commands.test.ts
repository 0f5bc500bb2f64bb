import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { TOP_EXAMPLES } from '../../src/cli/grammar/top-help.ts';
import { fakeEngineIn } from '../support/fake-engine.ts';
import { type Finished, type Sandbox, sandbox, temporaryFolder } from '../support/tacho.ts';

/** The typed command, the expected output, and the exit code if it is not 0. Piped input is before the bar. */
type Row = readonly [typed: string, printed: string | RegExp, code?: number];

/** Two runs are recorded before: `echo one`, then `sh -c 'echo two; echo three'`. */
const WORKING: readonly Row[] = [
  ['show', /succeeded[\s\S]*echo two/],
  ['show last', 'env       inherited: variables and home of the caller'],
  ['show last~1', 'echo one'],
  ['events', 'lifecycle.run.status'],
  ['events last', 'lifecycle.run.status'],
  ['raw', 'two\nthree\n'],
  ['raw last~1', 'one\n'],
  ['replay', /two\r?\nthree/],
  ['replay last~1 --speed 4', 'one'],
  ['verify', 'intact'],
  ['verify last~1', 'intact'],
  ['diff', /^$/],
  ['diff last~1 --stat', ''],
  ['reparse', 'identical'],
  ['export', '.zip'],
  ['export last -o two.cast', 'two.cast'],
  ['export last~1 --format txt', 'one'],
  ['logs last', /two\r?\nthree/],
  ['logs last -n 1', /^three\r?\n$/],
  ['logs last~1', 'one'],
  ['runs', 'echo one'],
  ['ls', 'echo one'],
  ['list', 'echo one'],
  ['ls --json', '"runs":['],
  ['runs --status failed', 'No runs with status failed.'],
  ['ps', 'No live runs.'],
  ['status', 'No server is running'],
  ['stop', 'No server is running.'],
  ['ledger head', /^\S+/],
  ['prune --older-than 30d --dry-run', '0 runs'],
  ['recover', 'Nothing to complete'],
  ['version', /^\d+\.\d+\.\d+\n$/],
  ['-v', /^\d+\.\d+\.\d+\n$/],
  ['-V', /^\d+\.\d+\.\d+\n$/],
  ['--version', /^\d+\.\d+\.\d+\n$/],
  ['help', 'Usage: tacho <command>'],
  ['--help', 'Usage: tacho <command>'],
  ['-h', 'Usage: tacho <command>'],
  ['help run', 'Usage: tacho run'],
  ['run --help', 'Usage: tacho run'],
  ['codex --help', 'Usage: tacho run'],
  ['run codex -h', 'Usage: tacho run'],
  ['ls --help', 'Usage: tacho runs'],
  ['index', 'Usage: tacho index'],
  ['ledger', 'Usage: tacho ledger'],
  ['terminal', 'Usage: tacho terminal'],
  ['terminal ls', 'no sessions'],
  ['terminal list', 'no sessions'],
  ['engines', 'codex'],
  ['engines list', 'codex'],
  ['config', 'recording.level'],
  ['config explain limits', 'limits.'],
  ['config get recording.level', 'full'],
  ['config check', ''],
  ['approvals', 'No approvals are pending.'],
  ['trust --list', ''],
  ['demo --list', 'tool'],
  ['run echo hello', 'hello\n'],
  ['run -- echo hello', 'hello\n'],
  ['run echo -n hello --json', 'hello --json'],
  ['run printf %s. -- -a', '--.-a.'],
  ["run sh -c 'exit 3'", '', 3],
  ['run -q echo quiet', /^quiet\n$/],
  ['run -e MODE=ci printenv MODE', 'ci\n'],
  ['run codex "fix it"', '› fix it'],
  ['run codex -- "fix it"', '› fix it'],
  ['run codex --model big "fix it"', /› fix it[\s\S]*big/],
  ['run -- codex --version', 'thread.started'],
  ['codex "fix it"', '› fix it'],
  ['fix it | run codex', '› fix it'],
  ['+ a line | run codex "review this"', /› review this\n›\n› \+ a line/],
  ['rm --yes last', /removed [0-9a-f]{8}\n/],
];

/** The hint must be the command that works. */
const HINTS: readonly Row[] = [
  ['rm last', '--yes', 2],
  ['open', 'tacho start', 1],
  ['open last', 'tacho start', 1],
  ['logs', 'tacho logs last', 1],
  ['delete last', 'tacho rm last', 2],
  ['remove last', 'tacho rm last', 2],
  ['serve', 'tacho start', 2],
  ['exec ls -la', 'tacho run ls -la', 2],
  ['rec ls', 'tacho run ls', 2],
  ['record ls', 'tacho run ls', 2],
  ['cat last', 'tacho logs last', 2],
  ['play last', 'tacho replay last', 2],
  ['check last', 'tacho verify last', 2],
  ['kill last', 'tacho cancel last', 2],
  ['history', 'tacho runs', 2],
  ['patch last', 'tacho diff last', 2],
  ['config get nonsense', 'config', 2],
  ['ui', 'tacho open', 2],
  ['login codex', 'tacho engines login codex', 2],
  ['verfy last', 'tacho verify last', 2],
  ['lss', 'tacho ls\n', 2],
  ['verson', 'tacho version\n', 2],
  ['los last', 'tacho logs last, or: tacho ls last\n', 2],
  ['env FOO=1 ls', 'tacho run env FOO=1 ls', 2],
  ['nonsense', 'tacho --help', 2],
  ['run', 'tacho run npm test', 2],
  ['run codex', 'tacho run codex "fix the failing test"', 2],
  ['run codx "fix it"', "tacho run codex 'fix it'", 127],
  ['run codx -- "fix it"', 'codex', 2],
  ['run no-such-program', 'command not found', 127],
  ['run no-such-program --json', /^tacho: /, 127],
  ['run --json no-such-program', /^{"error":/, 127],
  ['run codex --search x', '--engine-arg --search', 2],
  ['run --model big ls', 'tacho run codex --model', 2],
  ['run --timout 5m ls', '--timeout? See: tacho run --help', 2],
  ['run --timeout', 'See: tacho run --help', 2],
  ['runs 5', 'See: tacho runs --help', 2],
  ['show one two', 'See: tacho show --help', 2],
  ['cancel', 'See: tacho cancel --help', 2],
  ['engines nope', 'See: tacho engines --help', 2],
  ['index rebuld', 'tacho index rebuild', 2],
  ['show nope', 'tacho runs', 1],
  ['show last~99', 'tacho runs', 1],
  ['prune', '--older-than', 2],
];

async function recorded(): Promise<{ box: Sandbox; type: (typed: string) => Promise<Finished> }> {
  const box = sandbox();
  const folder = temporaryFolder();
  const { PATH } = fakeEngineIn(folder, 'codex', 'codex-like.mjs');
  fs.writeFileSync(path.join(folder, 'npm'), '#!/bin/sh\necho tests passed\n', { mode: 0o755 });
  await box.here(['run', 'echo', 'one']);
  await box.here(['run', 'sh', '-c', 'echo two; echo three']);
  const type = (typed: string) => {
    const [, input = '', line = typed] = /^(.*) \| (.*)$/.exec(typed) ?? [];
    return box.here(wordsOf(line), { input, cwd: folder, env: { PATH, TERM: 'dumb', LC_ALL: 'C.UTF-8' } });
  };
  return { box, type };
}

/** The words as a shell splits them. */
function wordsOf(line: string): string[] {
  return Array.from(line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g), ([, one, two, bare]) => one ?? two ?? bare!);
}

async function failuresOf(rows: readonly Row[], type: (typed: string) => Promise<Finished>, on: 'stdout' | 'both') {
  const failures: object[] = [];
  for (const [typed, printed, code = 0] of rows) {
    const done = await type(typed);
    const text = on === 'stdout' && done.stdout !== '' ? done.stdout : done.stdout + done.stderr;
    const fits = typeof printed === 'string' ? text.includes(printed) : printed.test(text);
    if (!fits || done.code !== code) failures.push({ typed, ...done });
  }
  return failures;
}

test('commands that users guess work', async () => {
  const { box, type } = await recorded();
  expect(WORKING.length).toBeGreaterThanOrEqual(45);
  expect(await failuresOf(WORKING, type, 'stdout')).toEqual([]);
  const quiet = await type('run -q true');
  expect(quiet).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(await type('run -q no-such-program')).toMatchObject({ stderr: expect.stringContaining('COMMAND_NOT_FOUND') });
  // The ledger notes the removed run, so that it does not count as missing.
  const head = (await type('ledger head')).stdout.trim();
  expect(await box.here(['verify', '--since', head])).toMatchObject({ code: 0 });
});

test('unsupported commands name the command that works', async () => {
  const { box, type } = await recorded();
  expect(HINTS.length + WORKING.length).toBeGreaterThanOrEqual(60);
  expect(await failuresOf(HINTS, type, 'both')).toEqual([]);
  expect(box.runIds()).toHaveLength(2);
});

test('the examples in the help work as printed', async () => {
  const { type } = await recorded();
  const lines = TOP_EXAMPLES.split('\n').slice(1);
  for (const line of lines) {
    const typed = /^ {2}(?:git diff (\| ))?tacho (.*?)(?: {2,}|$)/.exec(line)!;
    const done = await type(typed[1] ? `+ a line | ${typed[2]}` : typed[2]!);
    expect({ line, code: done.code, stderr: done.stderr }).toMatchObject({ line, code: 0 });
  }
  expect(lines).toHaveLength(5);
});
