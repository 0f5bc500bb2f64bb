import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { bombOf, renamed, withStatedSize, type ZipEntry, zipOf } from '../skills/package-zip.ts';
import { skillFile, writeFiles } from '../skills/skill-folder.ts';
import { builtText } from '../support/program.ts';
import { proofSize } from '../support/proof-size.ts';
import { finished, sandbox, tachoCommand } from '../support/tacho.ts';

/** A folder, the data folder of a user, and `tacho skills` in it. */
function place() {
  const box = sandbox();
  const skills = (...words: string[]) => box.here(['skills', ...words]);
  const json = async <T>(...words: string[]) => JSON.parse((await skills(...words, '--json')).stdout) as T;
  const code = async (...words: string[]) => (await json<{ error: { code: string } }>(...words)).error.code;
  return { ...box, skills, json, code, own: path.join(box.home, 'skills') };
}

test('a skill is made, checked, listed, shown and removed', async () => {
  const { skills, json, own } = place();
  expect((await skills()).stdout).toBe('There are no skills here.\n');
  const made = await skills('new', 'review', '--schemas', '--description', 'Reviews a diff.');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toContain(`${own}/review/assets/runner.json`);
  expect(await skills('check')).toMatchObject({ code: 0, stdout: '✔ review\n1 skill: no problems\n' });
  expect((await skills('list')).stdout).toBe('SKILL   NAMESPACE  DESCRIPTION\nreview  user       Reviews a diff.\n');
  expect(await json('list')).toMatchObject({ skills: [{ name: 'review', namespace: 'user' }], problems: [] });
  const shown = (await skills('show', 'review')).stdout;
  expect(shown).toMatch(/^review {2}Reviews a diff\.\n {2}mention {3}\$\[user\]\.review\n/);
  expect(shown).toContain('input: assets/input.json, output: assets/output.json');
  expect(await json('show', '$[user].review')).toMatchObject({
    skill: { name: 'review', manifest: { version: '0.1.0' }, body: expect.stringContaining('# review') },
  });
  expect(await json('remove', 'review', '--yes')).toEqual({ removed: [{ name: 'review', folder: `${own}/review` }] });
  expect(fs.readdirSync(own)).toEqual([]);
});

test('add copies from a folder, a checkout and a zip', async () => {
  const { skills, json, work, own } = place();
  writeFiles(work, {
    'one/SKILL.md': skillFile('one'),
    'checkout/.git/HEAD': '',
    'checkout/skills/two/SKILL.md': skillFile('two'),
    'checkout/skills/three/SKILL.md': skillFile('three'),
    'checkout/skills/broken/SKILL.md': 'nothing',
    'four.zip': await zipOf([{ name: 'four/SKILL.md', content: skillFile('four') }]),
  });
  expect((await skills('add', 'one')).stdout).toBe(`✔ added one  ${own}/one\n`);
  expect(await json('add', 'checkout', 'two')).toEqual({ added: [{ name: 'two', folder: `${own}/two` }] });
  expect((await skills('add', 'four.zip')).code).toBe(0);
  expect(fs.readdirSync(own).sort()).toEqual(['four', 'one', 'two']);

  const refused = await skills('add', 'checkout');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('nothing was added: checkout/skills/broken/SKILL.md:1: it has no frontmatter');
  expect(refused.stderr).toContain('[SKILL_FRONTMATTER_INVALID]');
  expect((await skills('add', 'checkout', 'thre')).stderr).toContain('Did you mean three?');
  expect(fs.readdirSync(own).sort()).toEqual(['four', 'one', 'two']);
});

test('add refuses to replace a skill unless told to', async () => {
  const { code, skills, work, own } = place();
  writeFiles(work, { 'one/SKILL.md': skillFile('one') });
  await skills('add', 'one');
  writeFiles(work, { 'one/SKILL.md': skillFile('one', { body: 'New.\n' }) });
  expect(await code('add', 'one')).toBe('SKILL_EXISTS');
  expect((await skills('add', 'one', '--replace')).code).toBe(0);
  expect(fs.readFileSync(`${own}/one/SKILL.md`, 'utf8')).toContain('New.');
  expect(await code('new', 'one')).toBe('SKILL_EXISTS');
});

test('add rejects bad packages with their codes and leaves nothing behind', async () => {
  const { code, work, home } = place();
  const entry: ZipEntry = { name: 'review/SKILL.md', content: skillFile('review') };
  const schemas = JSON.stringify({ schemas: { input: 'in.json' } });
  writeFiles(work, {
    'slip.zip': renamed(await zipOf([entry, { name: 'xx/evil', content: '' }]), 'xx/evil', '../evil'),
    'link.zip': await zipOf([entry, { name: 'review/a', content: '../../secret', mode: 0o120777 }]),
    'bomb.zip': await bombOf(proofSize({ small: 65 * 2 ** 20, full: 2 ** 30 }), [entry]),
    'stated.zip': withStatedSize(await zipOf([entry]), 2 ** 30),
    'link/SKILL.md': skillFile('link'),
    'yaml/SKILL.md': '---\nname: yaml\ndescription: [1, 2\n---\nText\n',
    'fields/SKILL.md': '---\nlicense: MIT\n---\nText\n',
    'mismatch/SKILL.md': skillFile('other'),
    'twice/a/review/SKILL.md': skillFile('review'),
    'twice/b/review/SKILL.md': skillFile('review'),
    'schema/SKILL.md': skillFile('schema'),
    'schema/assets/runner.json': schemas,
    'schema/in.json': '{"type": "strin"}',
    'large/SKILL.md': skillFile('large', { more: `note: ${'x'.repeat(2 ** 20)}\n` }),
  });
  fs.symlinkSync('/etc/passwd', path.join(work, 'link/passwd'));
  const before = [work, home].map((folder) => fs.readdirSync(folder, { recursive: true }).sort());
  const codes: Record<string, string> = {};
  for (const name of fs.readdirSync(work)) codes[name] = await code('add', name);
  expect(codes).toEqual({
    'slip.zip': 'SKILL_PATH_UNSAFE',
    'link.zip': 'SKILL_LINK_OUTSIDE',
    'bomb.zip': 'SKILL_PACKAGE_TOO_LARGE',
    'stated.zip': 'SKILL_PACKAGE_TOO_LARGE',
    link: 'SKILL_LINK_OUTSIDE',
    yaml: 'SKILL_FRONTMATTER_INVALID',
    fields: 'SKILL_FIELD_MISSING',
    mismatch: 'SKILL_NAME_MISMATCH',
    twice: 'SKILL_DUPLICATE_NAME',
    schema: 'SKILL_SCHEMA_INVALID',
    large: 'SKILL_FRONTMATTER_TOO_LARGE',
  });
  expect([work, home].map((folder) => fs.readdirSync(folder, { recursive: true }).sort())).toEqual(before);
});

test('what a killed add left behind is gone after the next list, and a skill it was replacing is there', async () => {
  const { skills, own } = place();
  // Kills itself before the given call of a function of fs.
  const program = builtText(`
    import fs from 'node:fs';
    import { installSkills } from './src/skills/package/install-skills.ts';
    const [root, name, before] = process.argv.slice(2);
    const original = fs[name];
    let left = Number(before);
    fs[name] = (...given) => (left-- === 0 ? process.kill(process.pid, 'SIGKILL') : original(...given));
    const file = { bytes: Buffer.from('---\\nname: review\\ndescription: New.\\n---\\nNew.\\n'), isExecutable: false };
    installSkills([{ name: 'review', files: new Map([['SKILL.md', file], ['notes', file]]) }], root, { replace: true });
  `);
  const killedBefore = async (name: string, calls: number) => {
    const { signal } = await finished(spawn(process.execPath, [program, own, name, String(calls)]));
    expect(signal).toBe('SIGKILL');
    expect(fs.readdirSync(own)).toContainEqual(expect.stringMatching(/^\.review\.(old\.)?\d+\.\w+\.tmp$/));
  };
  await killedBefore('writeFileSync', 1);
  expect((await skills()).stdout).toBe('There are no skills here.\n');
  expect(fs.readdirSync(own)).toEqual([]);

  writeFiles(own, { 'review/SKILL.md': skillFile('review', { description: 'Old.' }) });
  await killedBefore('renameSync', 1);
  expect((await skills()).stdout).toContain('Old.');
  expect(fs.readdirSync(own)).toEqual(['review']);
  await killedBefore('rmSync', 0);
  expect((await skills()).stdout).toContain('New.');
  expect(fs.readdirSync(own)).toEqual(['review']);
});

test('the skills of a project count after tacho trust', async () => {
  const { here, jsonHere, skills, json, work } = place();
  expect((await skills('new', 'notes', '--project')).stdout).toContain('To use it here: tacho trust\n');
  writeFiles(work, { 'skills/review/SKILL.md': skillFile('review') });
  const before = await skills();
  expect(before).toMatchObject({ code: 0, stdout: 'There are no skills here.\n' });
  expect(before.stderr).toContain('[SKILL_NOT_TRUSTED]');

  const content = await jsonHere<{ sha256: string; trusted: boolean; skills: string[] }>(['trust']);
  expect(content).toMatchObject({ trusted: false, skills: ['.tacho/skills/notes', 'skills/review'] });
  expect((await here(['trust', '--show'])).stdout).toContain('  skills/review\n');
  expect((await here(['trust', '--hash', content.sha256])).code).toBe(0);
  expect(await json('list')).toMatchObject({ skills: [{ name: 'notes' }, { name: 'review' }], problems: [] });
  expect((await here(['trust', '--list'])).stdout).toContain('2 skills');

  writeFiles(work, { 'skills/review/SKILL.md': skillFile('review', { body: 'Something else.\n' }) });
  expect(await json('list')).toMatchObject({ skills: [{ name: 'notes' }], problems: [{ code: 'SKILL_NOT_TRUSTED' }] });
  expect(await jsonHere(['trust'])).toMatchObject({ trusted: false });
  expect((await here(['trust', '--hash', content.sha256])).stderr).toContain('[TRUST_MISMATCH]');
});

test('check prints file, line, code and fix, and exits with 1 for errors alone', async () => {
  const { skills, json, work } = place();
  writeFiles(work, {
    'skills/one/SKILL.md': '---\nname: one\nlicense: MIT\n---\nText\n',
    'skills/two/SKILL.md': skillFile('two', { body: '' }),
    'one.zip': await zipOf([{ name: 'one/SKILL.md', content: '---\nname: one\n---\nText\n' }]),
  });
  const checked = await skills('check');
  expect(checked).toMatchObject({ code: 1, stderr: '' });
  expect(checked.stdout).toBe(
    [
      '✘ skills/one',
      '  error skills/one/SKILL.md:2: description is missing [SKILL_FIELD_MISSING]',
      '    Say what the skill does and when to use it.',
      '✔ two',
      '  warning skills/two/SKILL.md:5: it has no instructions below the frontmatter [SKILL_PACKAGE_INVALID]',
      '    Add the instructions.',
      '2 skills: 1 error, 1 warning',
      '',
    ].join('\n'),
  );
  expect((await skills('check', 'skills/two')).code).toBe(0);
  expect((await skills('check', 'one.zip')).stdout).toContain('error one.zip: SKILL.md:2: description is missing');
  expect(await json('check', 'skills/one')).toMatchObject({
    checked: [{ place: `${work}/skills/one`, name: null, problems: [{ code: 'SKILL_FIELD_MISSING', line: 2 }] }],
  });
});

test('remove finds skills with errors, and refuses what it cannot decide', async () => {
  const { skills, code, work, own } = place();
  writeFiles(own, { 'broken/SKILL.md': 'nothing', 'review/SKILL.md': skillFile('review') });
  writeFiles(work, { 'skills/review/SKILL.md': skillFile('review') });
  expect(await code('remove', 'review')).toBe('SKILL_AMBIGUOUS');
  expect(await code('remove', 'broken')).toBe('USAGE');
  expect(await code('remove', 'broken', 'gone', '--yes')).toBe('SKILL_UNKNOWN');
  expect((await skills('remove', 'brokn', '--yes')).stderr).toContain('Did you mean broken?');
  expect(fs.readdirSync(own).sort()).toEqual(['broken', 'review']);
  expect((await skills('rm', 'broken', '$[project].review', '--yes')).code).toBe(0);
  expect([fs.readdirSync(own), fs.readdirSync(`${work}/skills`)]).toEqual([['review'], []]);
});

test('remove asks at a terminal, and keeps the skill without a yes', async () => {
  const { home, own } = place();
  writeFiles(own, { 'review/SKILL.md': skillFile('review') });
  const removed = async (answer: string) => {
    const command = `'${process.execPath}' '${tachoCommand}' skills remove review`;
    const env = { ...process.env, TACHO_HOME: home, NO_COLOR: '1' };
    const terminal = spawn('script', ['-qefc', command, '/dev/null'], { env });
    let text = '';
    terminal.stdout.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      if (/\[y\/N\] (\u001b\[\d+G)?$/.test(text)) terminal.stdin.write(answer);
    });
    const { code } = await finished(terminal);
    expect(text).toContain(`${own}/review`);
    expect(text).toContain('Remove 1 skill with all files?');
    return { code, there: fs.existsSync(`${own}/review`) };
  };
  expect(await removed('n\r')).toEqual({ code: 1, there: true });
  expect(await removed('y\r')).toEqual({ code: 0, there: false });
});

test('options may be before the command of a group', async () => {
  const { here, jsonHere, work } = place();
  expect(await jsonHere(['skills', 'list'])).toMatchObject({ skills: [] });
  expect(await jsonHere(['skills', '--data', work, 'new', 'review'])).toMatchObject({
    folder: `${work}/skills/review`,
  });
  expect(await jsonHere(['engines', 'list'])).toMatchObject({ engines: expect.any(Array) });
  expect((await here(['config', '--json', 'get', 'terminal.cols'])).stdout).toBe('120\n');
  expect((await here(['config', '--json', 'terminal.cols'])).stdout).toContain('"terminal.cols"');
  expect((await here(['skills', '--json', 'nope'])).stdout).toContain('"UNKNOWN_COMMAND"');
  expect((await here(['skills', '--nope', 'list'])).stderr).toContain('unknown option "--nope"');
});

test('mistyped commands and names are answered with the right ones', async () => {
  const { here, skills } = place();
  expect((await skills('chekc')).stderr).toContain('tacho skills check');
  expect((await here(['skill'])).stderr).toContain('tacho skills');
  expect(await skills('show', 'review')).toMatchObject({ code: 1, stderr: expect.stringContaining('[SKILL_UNKNOWN]') });
  expect(await skills('new', 'Not A Name')).toMatchObject({ code: 1, stderr: expect.stringContaining('1 to 64') });
});

test('foreign text cannot control the terminal', async () => {
  const { skills, own } = place();
  writeFiles(own, { 'review/SKILL.md': skillFile('review', { description: '"a\\e[2Jb"', body: 'x\u001b[2J\ty\n' }) });
  const { stdout } = await skills('show', 'review');
  expect(stdout).not.toContain('\u001b');
  expect((await skills()).stdout).not.toContain('\u001b');
});
