import { describe, expect, it } from 'vitest';
import { builtinTools } from '../../../src/tools/index.ts';
import { call, contextFor, workspaceWith } from '../tool-context.ts';
import { skillLibrary } from './skill-library.ts';

const tools = builtinTools({ skills: true });
const read = (value: object) =>
  call(tools, 'skill_ref_read', value, contextFor(workspaceWith(), { skills: skillLibrary() }));

describe('skill_ref_read', () => {
  it.each([['$[team].deploy'], ['deploy']])('reads a reference of %s', async (skill) => {
    expect(await read({ skill, path: 'references/api.md' })).toMatchObject({
      ok: true,
      stdout: '# API\n€\n',
      data: { skill: 'deploy', namespace: 'team', bytes: 10 },
    });
  });

  it('stops at the limit', async () => {
    const result = await read({ skill: 'deploy', path: './references/api.md', max_bytes: 7 });
    expect(result).toMatchObject({ ok: true, stdout: '# API\n', truncated: true });
  });

  it.each([
    ['the text of the skill', { skill: 'deploy', path: 'SKILL.md' }, 'not_permitted'],
    ['the text by another spelling', { skill: 'deploy', path: './SKILL.md' }, 'not_permitted'],
    ['a path out of the package', { skill: 'deploy', path: '../deploy/SKILL.md' }, 'not_found'],
    ['an absolute path', { skill: 'deploy', path: '/etc/passwd' }, 'not_found'],
    ['a missing file', { skill: 'deploy', path: 'references/other.md' }, 'not_found'],
    ['a file that is not text', { skill: 'deploy', path: 'references/image.png' }, 'conflict'],
    ['an unknown skill', { skill: 'deplo', path: 'a' }, 'not_found'],
    ['an unknown namespace', { skill: '$[nobody].deploy', path: 'a' }, 'not_found'],
    ['a name that two have', { skill: 'same', path: 'a' }, 'invalid_arguments'],
    ['a mention within text', { skill: 'see $[team].deploy', path: 'a' }, 'invalid_arguments'],
  ])('refuses %s', async (_, value, kind) => {
    const result = await read(value);
    expect(result).toMatchObject({ ok: false, error_kind: kind, stdout: '' });
    expect(JSON.stringify(result)).not.toContain('SECRET BODY');
  });

  it('names the files there are', async () => {
    const result = await read({ skill: 'deploy', path: 'references/other.md' });
    expect(result.stderr).toContain('references/api.md');
    expect(result.stderr).not.toContain('SKILL.md');
  });

  it('is unavailable without skills', async () => {
    const result = await call(tools, 'skill_ref_read', { skill: 'a', path: 'b' }, contextFor(workspaceWith()));
    expect(result).toMatchObject({ ok: false, error_kind: 'unavailable' });
  });
});
