import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { skillFile, writeFiles } from '../skills/skill-folder.ts';
import { projectRoot, removeFolder, temporaryFolder } from '../support/tacho.ts';
import { tachoHere } from '../support/tacho-here.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const home = fs.mkdtempSync('/tmp/tacho-completion-');
const env = {
  ...process.env,
  TACHO_HOME: home,
  HOME: home,
  PATH: `${projectRoot}/bin:${path.dirname(process.execPath)}:${process.env.PATH}`,
} as Record<string, string>;

beforeAll(async () => {
  for (const shell of SHELLS) {
    const { stdout } = await tachoHere(['completion', shell], { cwd: home, env, input: '' });
    fs.writeFileSync(path.join(home, shell), stdout);
  }
  const run = (id: string, record: object) => {
    fs.mkdirSync(path.join(home, 'runs', id), { recursive: true });
    fs.writeFileSync(path.join(home, 'runs', id, '.run.json'), JSON.stringify(record));
  };
  run('20261115T083012-text-aaaa1111', { status: 'failed', engine: 'text', command: ['make', "it's: done\n"] });
  run('20261115T083013-demo-bbbb2222', { status: 'succeeded', engine: 'demo', request: { prompt: 'hello $(date)' } });
  fs.mkdirSync(path.join(home, 'runs', '20261115T083014-text-cccc3333'));
  writeFiles(home, { 'skills/review/SKILL.md': skillFile('review'), 'skills/notes/SKILL.md': 'broken' });
  return () => removeFolder(home);
});

/** The shell's candidates for the last word. zsh lists candidates only in a terminal, so stubs print its lists. */
const OFFER: Record<Shell, (words: readonly string[]) => [string, string[]]> = {
  bash: (words) => [
    'bash',
    [
      '--norc',
      '-c',
      `. ${home}/bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tacho; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash',
      ...words,
    ],
  ],
  zsh: (words) => [
    'zsh',
    [
      '-fc',
      `_describe() { [[ $1 == -* ]] && shift; print -rl -- "\${(@P)2}" }; _files() { print files }; . ${home}/zsh; words=("$@"); CURRENT=$#; _tacho || true`,
      'zsh',
      ...words,
    ],
  ],
  fish: (words) => ['fish', ['--no-config', '-c', `source ${home}/fish; complete -C "$argv"`, words.join(' ')]],
};

function printed(shell: Shell, ...words: string[]): string {
  const [program, args] = OFFER[shell](['tacho', ...words]);
  return execFileSync(program, args, { env, cwd: home, encoding: 'utf8' });
}

/** Without descriptions. */
function valuesIn(text: string): string[] {
  return text.split('\n').flatMap((line) => line.split(/\t| {2}\(|:/)[0] || []);
}

/** The values with the prefix of the last word: the stubs for zsh do not filter. */
function offered(shell: Shell, ...words: string[]): string[] {
  return valuesIn(printed(shell, ...words)).filter((value) => value.startsWith(words.at(-1)!));
}

describe.each(SHELLS)('completion in %s', (shell) => {
  test('offers commands, engines and options', () => {
    expect(offered(shell, 'ver')).toEqual(['verify']);
    expect(offered(shell, 'cod')).toEqual(['codex']);
    expect(offered(shell, 'approvals', 'd')).toEqual(['deny']);
    expect(offered(shell, 'run', 'gem')).toEqual(['gemini']);
    expect(offered(shell, 'watch', 'cla')).toEqual(['claude']);
    expect(offered(shell, 'run', '--run-d')).toEqual(['--run-dir']);
    expect(offered(shell, 'terminal', 'read', '--js')).toEqual(['--json']);
  });

  test('offers runs with their commands or prompts, newest first', () => {
    const text = printed(shell, 'show', '');
    expect(valuesIn(text)).toEqual(['bbbb2222', 'aaaa1111']);
    expect(text).toContain("failed: make it's: done");
    expect(text).toContain('succeeded: demo: hello $(date)');
    expect(offered(shell, 'show', 'aa')).toEqual(['aaaa1111']);
    expect(offered(shell, 'run', '--run-dir', 'bb')).toEqual(['bbbb2222']);
  });

  test('offers skills', () => {
    expect(valuesIn(printed(shell, 'skills', 'show', ''))).toEqual(['notes', 'review']);
    expect(offered(shell, 'skills', 'remove', 're')).toEqual(['review']);
  });

  test('prints nothing without candidates, and leaves words after -- to the shell', () => {
    const empty = { ...env, TACHO_HOME: temporaryFolder() };
    const [program, args] = OFFER[shell](['tacho', 'show', '']);
    expect(execFileSync(program, args, { env: empty, cwd: home, encoding: 'utf8', stdio: 'pipe' }).trim()).toBe('');
    expect(offered(shell, 'terminal', 'read', '')).toEqual([]);
    expect(offered(shell, 'run', '--', 'ver')).toEqual([]);
  });
});

test('loading the scripts prints nothing', () => {
  for (const shell of SHELLS) {
    const flags = { bash: '--norc', zsh: '-f', fish: '--no-config' }[shell];
    expect(
      execFileSync(shell, [flags, '-c', `source ${home}/${shell}`], { env, encoding: 'utf8', stdio: 'pipe' }),
    ).toBe('');
  }
});

test('refuses an unknown shell', async () => {
  const { code, stderr } = await tachoHere(['completion', 'tcsh'], { cwd: home, env, input: '' });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('unknown shell "tcsh"') });
});
