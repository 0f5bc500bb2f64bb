import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type * as Tachograph from '../../src/index.ts';
import { skillFile, writeFiles } from '../skills/skill-folder.ts';
import { projectRoot, temporaryFolder } from '../support/tacho.ts';

test('the built package runs a program step by step', async () => {
  const tachograph: typeof Tachograph = await import(pathToFileURL(path.join(projectRoot, 'dist/index.js')).href);
  const workspace = temporaryFolder();
  const env = { PATH: process.env.PATH!, TACHO_HOME: temporaryFolder() };
  const { config } = tachograph.loadConfig({ workspaceRoot: workspace, env });
  const context = { home: tachograph.locateDataHome(env), config, env, version: 'test' };
  const command = ['sh', '-c', 'echo "$GREETING"; echo more >made.txt; exit 3'];

  const before = await tachograph.snapshotFs(workspace, []);
  const run = await tachograph.prepareRun({ command, cwd: workspace, context });
  writeFiles(path.join(context.home.root, 'skills/notes'), { 'SKILL.md': skillFile('notes') });
  const injected = await tachograph.injectTrustAndSkills(run, { engine: 'gemini', context, skills: ['notes'] });
  const [notes] = injected.skills;
  expect(notes).toMatchObject({ name: 'notes', delivery: 'engine', layers: [] });
  const seen = path.join(injected.environment.GEMINI_CLI_HOME!, '.agents/skills/notes/SKILL.md');
  expect(fs.realpathSync(seen)).toBe(fs.realpathSync(notes!.path));
  const trusted = fs.readFileSync(path.join(context.home.managed, 'home/.gemini/trustedFolders.json'), 'utf8');
  expect(JSON.parse(trusted)).toEqual({ [fs.realpathSync(workspace)]: 'TRUST_FOLDER' });
  const environment = tachograph.buildIsolatedEnv(run, context, { GREETING: 'hello', ...injected.environment });
  const ran = await tachograph.runPtyWithTrace({ run, command, environment, context });
  expect(ran).toMatchObject({ exit_code: 3, signal: null });
  expect(tachograph.analyzeCompletion(ran.completionFacts)).toMatchObject({ reason_code: 'EXIT_NONZERO' });
  const after = await tachograph.snapshotFs(workspace, []);
  expect(tachograph.diffFs(before, after).created.map(({ path: name }) => name)).toEqual(['made.txt']);

  const meta = await tachograph.writeMeta(ran);
  expect(meta).toMatchObject({ exit_code: 3, failed_step: null, filesystem: { created: 1 } });
  expect(await tachograph.writeMeta(ran)).toEqual(meta);
  expect(fs.readFileSync(path.join(run.folder.audit, 'stdout.1.log'), 'utf8')).toBe('hello\n');
  const trace = '1 write(1<pipe:[1]>, "x", 1) = 1\n';
  expect(await tachograph.reconstructStreams([trace])).toMatchObject({ writes: expect.any(Number) });
});
