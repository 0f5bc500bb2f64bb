import { expect, test } from 'vitest';
import { openForTest, untilShown } from './opened.ts';

test('a command that ends returns its output and exit code', async () => {
  const { exec } = openForTest();
  expect(await exec('echo one; echo two >&2; exit 3')).toEqual({
    sessionId: null,
    output: 'one\ntwo\n',
    truncated: false,
    exitCode: 3,
  });
});

test('a program that keeps running is continued by typing', async () => {
  const opened = openForTest();
  const { exec, type } = opened;
  const loop = 'while read -r -p "name? " name; do echo "hello, $name"; done; echo over';
  const first = await exec(loop, { yieldMs: 50 });
  expect(first).toMatchObject({ truncated: false, exitCode: null, sessionId: expect.any(String) });
  const id = first.sessionId!;
  expect(await untilShown(opened, id, 'name? ', first.output)).toBe('name? ');
  const typed = await type(id, 'Ada\n', { yieldMs: 0 });
  expect(await untilShown(opened, id, 'Ada\nhello, Ada\nname? ', typed.output)).toBe('Ada\nhello, Ada\nname? ');
  expect(await type(id, '\u0004')).toEqual({ sessionId: null, output: 'over\n', truncated: false, exitCode: 0 });
});
