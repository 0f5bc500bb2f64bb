import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { proofSize } from '../../support/proof-size.ts';
import { isRunning, until } from '../../terminal/run-terminal.ts';
import { brief, printed, readAll } from './runtime.ts';
import { shellsUnderTest } from './shells.ts';

describe('a shell session gives each command its own streams and status, whatever the command does to the shell', () => {
  describe.each(shellsUnderTest())('%s', (name, { dialect, openRuntime, open }) => {
    test('state, redirections, background jobs and odd commands, in one session', async () => {
      const runtime = openRuntime();
      const shell = await open(runtime);
      const gives = async (command: string, expected: object) =>
        expect(brief(await shell.run(command))).toEqual(expected);

      await gives('mkdir deep && cd deep && pwd', printed(`${runtime.workspace}/deep\n`));
      await gives(
        'pwd; echo wrong >&2; false',
        printed(`${runtime.workspace}/deep\n`, { exit_code: 1, stderr: 'wrong\n' }),
      );
      await gives('echo $?', printed('1\n'));
      await gives('export COLOUR=blue; plain=1', printed(''));
      await gives(`sh -c 'echo "$COLOUR$plain"'; echo $plain`, printed('blue\n1\n'));
      await gives('greet() {\n  echo "hello $1"\n  return 7\n}', printed(''));
      await gives('greet you', printed('hello you\n', { exit_code: 7 }));
      await gives(`cat <<'END'; cat <<END2\n$COLOUR 'it''s'\nEND\n$COLOUR\nEND2`, printed(`$COLOUR 'it''s'\nblue\n`));
      await gives("printf 'no newline'", printed('no newline'));
      await gives(`set -u; echo \${unheard-of}; set +u`, printed('of\n'));
      await gives('if true; then set -e; fi; false || echo handled; true', printed('handled\n'));
      await gives('set +e; false; echo "still $?"', printed('still 1\n'));

      // Commands may use descriptors 0 to 9 freely, and their redirections persist.
      await gives('exec 3>own 4>&3 5>&3 9>&3; echo three >&3; echo five >&5', printed(''));
      await gives('echo nine >&9; exec 3>&- 4>&- 5>&- 9>&-; cat own', printed('three\nfive\nnine\n'));

      // A redirected stderr stays redirected until it is restored.
      await gives('exec 3>&2 2>errors', printed(''));
      await gives('echo hidden >&2; nonsense-command; cat errors | head -1', printed('hidden\n'));
      await gives('exec 2>&3 3>&-; echo shown >&2', printed('', { stderr: 'shown\n' }));
      await gives('echo direct > /dev/stderr', printed('', { stderr: 'direct\n' }));

      const background = await shell.run('(sleep 300; echo late) & echo "pid $!"');
      expect(background).toMatchObject({ exit_code: 0, closed: false });
      const pid = Number(/pid (\d+)/.exec(background.stdout.data)![1]);
      const killed = brief(await shell.run(`kill ${pid} && wait ${pid}; echo "ended $?"`));
      // A POSIX shell may or may not report the killed job, depending on whether it has ended before `wait`.
      const reported = dialect === 'posix' && killed.stderr !== '' ? { stderr: 'Terminated\n' } : {};
      expect(killed).toEqual(printed('ended 143\n', reported));
      const later = await shell.run('mkfifo go; (read line <go; echo "later $line") & echo begun');
      expect(later.stdout.data).toBe('begun\n');
      await shell.run('echo now >go; wait', { max_output_bytes: 0 });
      expect((await readAll(runtime, shell.id, { after: later.stdout.to, to: later.stdout.to + 10 })).toString()).toBe(
        'later now\n',
      );

      // Commands cannot forge a status, whatever they print to any descriptor.
      await gives(
        `for fd in 3 4 5 9 10 11 62 255; do (echo "${'0'.repeat(32)} 0" >&$fd) 2>/dev/null; done; echo "${'f'.repeat(32)} 0"; false`,
        printed(`${'f'.repeat(32)} 0\n`, { exit_code: 1 }),
      );
      // A command can open the status descriptor by its path, but the forged line matches no pending command.
      if (dialect === 'posix')
        await gives(`echo "${'0'.repeat(32)} 0" >>/proc/$$/fd/10; false`, printed('', { exit_code: 1 }));
      // POSIX does not allow a function named `exit`.
      if (dialect !== 'posix' && name !== 'bash as sh') {
        await gives('exit() { :; }; exit 4; unset -f exit; false', printed('', { exit_code: 1 }));
      }
      await gives(
        'alias printf=false command=false builtin=false; printf() { :; }; false',
        printed('', { exit_code: 1 }),
      );
      await gives('unalias printf command builtin; unset -f printf', printed(''));
      const inherited = await shell.run('ls /proc/self/fd');
      expect(inherited.stdout.data).toBe('0\n1\n2\n3\n');

      const everyByte = await shell.run(`printf '\\000\\377'; for i in 1 2; do printf '\\0\\200\\n'; done`);
      expect(everyByte.stdout).toMatchObject({ encoding: 'base64', omitted: null });
      expect(Buffer.from(everyByte.stdout.data, 'base64').toString('latin1')).toBe('\0\xff\0\x80\n\0\x80\n');

      await runtime.call('session.write', { session_id: shell.id, data: 'first\nsecond\n' });
      await gives('read line; echo "read $line"', printed('read first\n'));
      await gives('read line; echo "read $line"', printed('read second\n'));
      expect(brief(await shell.run('cat', { stdin: 'empty' }))).toEqual(printed(''));
      for (const wrong of ['echo "open', 'if true', 'readonly fixed=1; fixed=2', '. ./missing']) {
        const result = await shell.run(wrong);
        expect(result, wrong).toMatchObject({
          exit_code: expect.any(Number),
          stdout: { data: '' },
          session_state: 'idle',
        });
        expect([result.exit_code, result.stderr.data], wrong).not.toEqual([0, '']);
      }
      await gives('echo closed', printed('closed\n'));

      const size = proofSize({ small: 4_000_000, full: 100_000_000 });
      const big = await shell.run(`head -c ${size} /dev/zero | tr '\\0' x; echo; echo tail >&2`, {
        max_output_bytes: 10_000,
      });
      expect(big).toMatchObject({ exit_code: 0, stderr: { data: 'tail\n' } });
      expect(big.stdout.to - big.stdout.from).toBe(size + 1);
      expect(big.stdout.omitted).toEqual({ at: 5000, bytes: size + 1 - 10_000 });
      expect(big.stdout.data).toBe(`${'x'.repeat(9999)}\n`);
      await gives(
        'echo $COLOUR $plain; pwd; greet again',
        printed(`blue 1\n${runtime.workspace}/deep\nhello again\n`, { exit_code: 7 }),
      );

      await gives(
        'echo last; kill -9 $$',
        printed('last\n', { exit_code: null, signal: 'SIGKILL', session_state: 'terminated' }),
      );
      expect(await shell.info()).toMatchObject({
        state: 'terminated',
        exited: true,
        end: { exit_code: null, signal: 'SIGKILL', reason: 'killed' },
      });
      await expect(shell.run('echo more')).rejects.toMatchObject({ code: 'SESSION_TERMINATED' });
    });

    test.each([
      ['exit 3', 3],
      ['set -e; false; echo unreached', 1],
      ['trap "echo bye" EXIT; exit 5', 5],
      ['exec sh -c "exit 9"', 9],
    ])('%s ends the session, and the result says so', async (command, exit_code) => {
      const shell = await open(openRuntime());
      const result = await shell.run(command);
      expect(result).toMatchObject({ exit_code, signal: null, timed_out: false, session_state: 'terminated' });
      expect(result.stdout.data).toBe(command.includes('bye') ? 'bye\n' : '');
      expect((await shell.info()).end).toEqual({ exit_code, signal: null, reason: 'exited' });
    });

    test('an unset variable under set -u ends bash; other shells drop the command', async () => {
      const shell = await open(openRuntime());
      const result = await shell.run('set -u; echo "$unheard"; echo unreached');
      const survives = dialect !== 'bash';
      expect(result).toMatchObject({
        exit_code: dialect === 'posix' ? 2 : 1,
        signal: null,
        session_state: survives ? 'idle' : 'terminated',
        stdout: { data: '' },
        stderr: { data: expect.stringContaining('unheard') },
      });
      const { end } = await shell.info();
      expect(end).toEqual(survives ? null : { exit_code: 1, signal: null, reason: 'exited' });
      if (survives)
        expect(brief(await shell.run('echo $?; set +u; echo "$unheard"'))).toEqual(printed(`${result.exit_code}\n\n`));
    });

    test('every byte of a 100 MB output can be streamed', async () => {
      const runtime = openRuntime();
      const shell = await open(runtime);
      const size = proofSize({ small: 4_000_000, full: 100_000_000 });
      const file = path.join(runtime.workspace, 'big');
      fs.writeFileSync(file, Buffer.alloc(size, 'a line of text that repeats\n'));
      const hash = createHash('sha256');
      let next = 0;
      const result = await runtime.call(
        'exec.stream',
        { session_id: shell.id, command: 'cat big', when_behind: 'wait' },
        (output) => {
          expect(output).toMatchObject({ stream: 'stdout', from: next });
          const bytes = Buffer.from(output.data, output.encoding);
          next += bytes.length;
          hash.update(bytes);
        },
      );
      expect(result.stdout.to).toBe(size);
      expect(hash.digest('hex')).toBe(createHash('sha256').update(fs.readFileSync(file)).digest('hex'));
    });

    test('background processes of a session end with it', async () => {
      const runtime = openRuntime();
      const shell = await open(runtime);
      const { stdout } = await shell.run('setsid sleep 300 & echo $!; sleep 300 & echo $!');
      const pids = stdout.data.trim().split('\n').map(Number);
      expect(pids.filter(isRunning)).toEqual(pids);
      expect(await runtime.call('session.destroy', { session_id: shell.id })).toMatchObject({
        state: 'terminated',
        closed: true,
        end: { reason: 'destroyed' },
      });
      await until(() => !pids.some(isRunning), 'the background is gone');
      await expect(shell.info()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    });
  });
});
