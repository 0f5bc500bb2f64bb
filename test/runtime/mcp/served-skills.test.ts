import fs from 'node:fs';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULTS, loadConfig } from '../../../src/config/index.ts';
import { skillsExtension } from '../../../src/runtime/mcp/served-skills.ts';
import { McpSkillSource, MemorySkillSource, openLocalSkills, SkillLibrary } from '../../../src/skills/index.ts';
import { skillFile, writeFiles } from '../../skills/skill-folder.ts';
import { serveMcpHttp } from '../../support/mcp-http.ts';
import { tachoCommand, temporaryFolder } from '../../support/tacho.ts';

const request = () => ({ signal: AbortSignal.timeout(60_000) });

/** Serves the skills over HTTP in this process, and returns the address. */
async function served(skills: ConstructorParameters<typeof MemorySkillSource>[1]): Promise<string> {
  const source = new MemorySkillSource('memory', skills);
  const namespaces = [...new Set(skills!.map(({ namespace }) => namespace))];
  const spaces = namespaces.map((namespace) => ({ namespace, enabled: true, sources: [source] }));
  const extension = skillsExtension(async () => new SkillLibrary({ spaces, settings: DEFAULTS.skills }));
  onTestFinished(() => extension.close());
  const create = () => {
    const server = new McpServer({ name: 'tacho', version: '1' });
    extension.attach(server);
    return server;
  };
  return await serveMcpHttp(create, { whenDone: onTestFinished });
}

function sourceAt(url: string): McpSkillSource {
  const source = new McpSkillSource('copy', { url, cwd: '/', token: () => undefined, timeoutMs: 60_000 });
  onTestFinished(() => source.close());
  return source;
}

const REVIEW = {
  namespace: 'team:product',
  name: 'review',
  description: 'Reviews a diff: “all” of it, 中文 and 👍.',
  body: 'Read it.\r\n---\nTwice.\n',
  required_env_vars: ['API_KEY'],
  metadata: { version: '2', nested: { a: [1] } },
  files: {
    'references/a b.md': 'More.\n',
    'references/deep/x#y?.txt': 'Deep.\n',
    'scripts/run': new Uint8Array([0, 255]),
  },
};

test('our source reads the skills that our server offers, with their texts and files', async () => {
  const source = sourceAt(await served([REVIEW, { ...REVIEW, namespace: 'team', name: 'product' }]));
  const { skills, problems } = await source.scan('copied', request());
  expect(problems).toEqual([]);
  expect(skills.map(({ location }) => location)).toEqual([
    'skill://team.product/review/SKILL.md',
    'skill://team/product/SKILL.md',
  ]);
  const [review] = skills;
  const { description, required_env_vars } = REVIEW;
  expect(review).toMatchObject({ namespace: 'copied', name: 'review', description, required_env_vars });
  expect(review!.metadata).toEqual({ version: '2', nested: '{"a":[1]}' });
  expect(await source.readBody(review!, { ...request(), maxBytes: 1000 })).toBe(REVIEW.body);
  expect(await source.readFiles(review!, request())).toEqual({
    kind: 'files',
    files: new Map(
      Object.entries(REVIEW.files).map(([name, content]) => [name, new Uint8Array(Buffer.from(content as string))]),
    ),
  });
});

test('many skills come in pages; names that the extension does not allow are left out', async () => {
  const many = Array.from({ length: 250 }, (_, index) => ({ ...REVIEW, name: `skill-${index}` }));
  const source = sourceAt(await served([...many, { ...REVIEW, name: 'not_allowed' }]));
  const { skills, problems } = await source.scan('copied', request());
  expect(problems).toEqual([]);
  expect(new Set(skills.map(({ name }) => name)).size).toBe(250);
});

test('a client without the extension finds them as resources; other addresses are refused', async () => {
  const url = await served([REVIEW]);
  const client = new Client({ name: 'plain', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  const { resources } = await client.listResources();
  expect(resources).toMatchObject([{ uri: 'skill://team.product/review/SKILL.md', name: 'review' }]);
  const { contents } = await client.readResource({ uri: resources[0]!.uri });
  expect(contents).toMatchObject([{ text: expect.stringMatching(/^---\nname: "review"\n[\s\S]*---\nRead it\.\r\n/) }]);
  for (const uri of [
    'team.product/review/gone',
    'team.product/other/SKILL.md',
    'team.product/review/%',
    'team/review/..%2f',
  ])
    await expect(client.readResource({ uri: `skill://${uri}` })).rejects.toThrow(/not found|%/i);
});

test('tacho mcp offers the skills of the user, and does not start itself as its own source', async () => {
  const [home, workspace] = [temporaryFolder(), temporaryFolder('tacho-work-')];
  const command = ['env', `TACHO_HOME=${home}`, process.execPath, tachoCommand, 'mcp', '--workspace', workspace];
  writeFiles(home, {
    'skills/review/SKILL.md': skillFile('review'),
    'skills/review/scripts/run': '#!/bin/sh\n',
    'config.yaml': JSON.stringify({
      skills: {
        sources: [{ id: 'self', type: 'mcp', command }],
        spaces: [{ namespace: 'self', sources: ['self'] }],
        source_timeout_ms: 60_000,
      },
    }),
  });
  const env = { TACHO_HOME: home };
  const { config } = loadConfig({ workspaceRoot: workspace, env, dataFolder: home });
  const library = openLocalSkills({ settings: config.skills, workspaceRoot: workspace, dataFolder: home, env });
  onTestFinished(() => library.close());
  const { skills, problems } = await library.scan();
  expect(problems).toEqual([]);
  expect([...skills.keys()]).toEqual(['$[self].review', '$[user].review']);
  const { injected } = await library.inject('$[self].review', { env });
  expect(injected[0]!.body).toBe(fs.readFileSync(path.join(home, 'skills/review/SKILL.md'), 'utf8').split('---\n')[2]);
  expect(await library.readFiles(skills.get('$[self].review')!)).toMatchObject({
    files: new Map([['scripts/run', new Uint8Array(Buffer.from('#!/bin/sh\n'))]]),
  });
});
