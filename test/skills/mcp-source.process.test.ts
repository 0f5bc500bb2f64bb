import fs from 'node:fs';
import path from 'node:path';
import { McpServer } from '@modelcontextprotocol/server';
import { SKILLS_EXTENSION_ID, SKILLS_LIST_METHOD } from '@modelcontextprotocol/server/ext/skills';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { DEFAULTS } from '../../src/config/index.ts';
import { McpSkillSource, SkillLibrary, sourceRules } from '../../src/skills/index.ts';
import { serveMcpHttp } from '../support/mcp-http.ts';
import { builtProgram } from '../support/program.ts';
import { HOLD_FILE, skillsServer } from '../support/skills-mcp.ts';
import { projectRoot, signalIfThere, until } from '../support/tacho.ts';
import { isRunning } from '../terminal/run-terminal.ts';
import { skillFile, temporaryFolder, writeFiles } from './skill-folder.ts';

const request = () => ({ signal: AbortSignal.timeout(60_000) });

function libraryOf(source: McpSkillSource, settings: Partial<typeof DEFAULTS.skills>): SkillLibrary {
  return new SkillLibrary({
    spaces: [{ namespace: 'team', enabled: true, sources: [source] }],
    settings: { ...DEFAULTS.skills, ...settings },
  });
}

/** A source of the skills that a server in this process offers over HTTP. */
async function overHttp(create: () => McpServer, { token, sent = token }: { token?: string; sent?: string } = {}) {
  const url = await serveMcpHttp(create, { ...(token ? { token } : {}), whenDone: onTestFinished });
  return new McpSkillSource('docs', { url, cwd: '/', token: () => sent, timeoutMs: 60_000 });
}

describe('the rules of all sources', () => {
  // The extension allows fewer characters in names than we do, and only text in metadata.
  const [skipped, ...rules] = sourceRules.toSorted(({ title }) => (title.startsWith('a scan returns') ? -1 : 1));
  expect(skipped!.title).toBe('a scan returns the metadata of every skill of a namespace');
  test.each(rules.map(({ title, check }) => [title, check] as const))('%s', async (_, check) => {
    const root = temporaryFolder();
    await check({
      open: async () => ({
        source: await overHttp(() => skillsServer(root)),
        add: async ({ name, description, body }) => {
          writeFiles(root, {
            [`${name}/SKILL.md`]: skillFile(name, { description: JSON.stringify(description), body }),
          });
        },
        remove: async ({ name }) => fs.rmSync(path.join(root, name), { recursive: true }),
      }),
    });
  });
});

describe('a server that is started', () => {
  /** A library with the skills of a started server, and how to find and hold that server. */
  function started() {
    const [root, work] = [temporaryFolder(), temporaryFolder()];
    writeFiles(root, {
      'review/SKILL.md': skillFile('review', { body: 'Read it.\r\nTwice.\n', more: 'required_env_vars: [API_KEY]\n' }),
      'review/references/a b.md': 'More.\n',
      'review/scripts/run': new Uint8Array([0, 255, 10]),
    });
    const program = builtProgram(path.join(projectRoot, 'test/skills/programs/serve-skills.ts'));
    const pidFile = path.join(work, 'pid');
    const command = [process.execPath, program, root, pidFile];
    const source = new McpSkillSource('docs', { command, cwd: work, token: () => undefined, timeoutMs: 60_000 });
    const library = libraryOf(source, { refresh: 'manual', source_timeout_ms: 60_000 });
    const pid = () => Number(fs.readFileSync(pidFile, 'utf8'));
    const hold = path.join(root, HOLD_FILE);
    onTestFinished(async () => {
      await library.close();
      await until(() => !isRunning(pid()));
    });
    return { root, source, library, pid, hold };
  }

  test('offers skills with exact texts and files; a changed text is read as it is now', async () => {
    const { root, source, library } = started();
    const { skills, problems } = await library.scan();
    expect(problems).toEqual([]);
    const skill = skills.get('$[team].review')!;
    expect(skill).toMatchObject({
      source: 'docs',
      location: 'skill://review/SKILL.md',
      required_env_vars: ['API_KEY'],
    });
    const { injected, refused } = await library.inject('Use $[team].review.', { env: { API_KEY: 'x' } });
    expect(refused).toEqual([]);
    expect(injected[0]!.body).toBe('Read it.\r\nTwice.\n');
    expect(await source.readFiles(skill, request())).toEqual({
      kind: 'files',
      files: new Map([
        ['references/a b.md', new Uint8Array(Buffer.from('More.\n'))],
        ['scripts/run', new Uint8Array([0, 255, 10])],
      ]),
    });
    writeFiles(root, { 'review/SKILL.md': skillFile('review', { body: 'New.\n' }) });
    expect(await source.readBody(skill, { ...request(), maxBytes: 100 })).toBe('New.\n');
  });

  test('and dies during a scan is a warning, and is started again by the next scan', async () => {
    const { library, pid, hold } = started();
    await library.scan();
    const first = pid();
    fs.writeFileSync(hold, '');
    const scanning = library.scan();
    signalIfThere(first, 'SIGKILL');
    const { skills, problems } = await scanning;
    expect([...skills.keys()]).toEqual(['$[team].review']);
    expect(problems).toMatchObject([{ code: 'SKILL_SOURCE_UNAVAILABLE', severity: 'warning', source: 'docs' }]);
    fs.rmSync(hold);
    expect((await library.scan()).problems).toEqual([]);
    expect(pid()).not.toBe(first);
    expect((await library.inject('$[team].review', { env: { API_KEY: 'x' } })).injected).toHaveLength(1);
  });

  test('and takes too long is a warning; it is ended, and started again by the next scan', async () => {
    const { library, source, pid, hold } = started();
    await library.scan();
    const first = pid();
    fs.writeFileSync(hold, '');
    const hurried = libraryOf(source, { source_timeout_ms: 200 });
    const { problems } = await hurried.scan();
    expect(problems).toMatchObject([{ code: 'SKILL_SOURCE_UNAVAILABLE', severity: 'warning' }]);
    await until(() => !isRunning(first));
    fs.rmSync(hold);
    expect((await library.scan()).problems).toEqual([]);
  });

  test('and does not exist is a warning', async () => {
    const source = new McpSkillSource('docs', {
      command: ['/nowhere/server'],
      cwd: '/',
      token: () => undefined,
      timeoutMs: 60_000,
    });
    await expect(source.scan('team', request())).rejects.toMatchObject({ code: 'SKILL_SOURCE_UNAVAILABLE' });
  });
});

test('the token is sent, and is not part of an error', async () => {
  const root = temporaryFolder();
  writeFiles(root, { 'review/SKILL.md': skillFile('review') });
  const right = await overHttp(() => skillsServer(root), { token: 'hunter2' });
  expect((await right.scan('team', request())).skills).toHaveLength(1);
  await right.close();
  const wrong = await overHttp(() => skillsServer(root), { token: 'hunter2', sent: 'hunter3' });
  const error = await wrong.scan('team', request()).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ code: 'SKILL_SOURCE_UNAVAILABLE' });
  expect(`${error} ${JSON.stringify(error)}`).not.toContain('hunter3');
});

test('a server without the extension, and one that describes a skill wrongly, are reported', async () => {
  const plain = await overHttp(() => new McpServer({ name: 'plain', version: '1' }));
  await expect(plain.scan('team', request())).rejects.toThrow('its MCP server does not offer skills');
  await plain.close();
  const wrong = await overHttp(() => {
    const wrong = new McpServer({ name: 'wrong', version: '1' });
    wrong.server.registerCapabilities({ resources: {}, extensions: { [SKILLS_EXTENSION_ID]: {} } });
    const skills = [{ uri: 'skill://a/SKILL.md', frontmatter: { name: 'b', description: 'c' }, resources: 'dynamic' }];
    wrong.server.setRequestHandler(SKILLS_LIST_METHOD, { params: z.looseObject({}) }, () => ({
      skills,
      ttlMs: 0,
      cacheScope: 'private',
    }));
    return wrong;
  });
  const { skills, problems } = await wrong.scan('team', request());
  expect(skills).toEqual([]);
  expect(problems).toMatchObject([{ code: 'SKILL_FIELD_INVALID', file: '"skill://a/SKILL.md"' }]);
  await wrong.close();
});
