import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { FreedPackages } from '../../../src/runs/index.ts';
import { writeFiles } from '../../skills/skill-folder.ts';
import { sandbox } from '../../support/tacho.ts';
import { input, openService, whenEnded } from '../service/open-service.ts';
import { plainSkill } from './skilled.ts';

/** Runs of the demo agent, each with its own skill, whose packages were kept long ago. */
async function runsWithSkills(names: readonly string[]) {
  const box = sandbox();
  const packages = path.join(box.home, 'packages');
  const runs: string[] = [];
  for (const name of names) {
    writeFiles(path.join(box.home, 'skills', name), plainSkill(name));
    const words = ['run', 'demo', '--skill', name, '--engine-arg=--pace=0', 'fail'];
    runs.push((await box.jsonHere(words)).run_id);
  }
  const age = () => {
    const then = new Date(Date.now() - 7_200_000);
    for (const name of fs.readdirSync(packages)) fs.lutimesSync(path.join(packages, name), then, then);
  };
  age();
  const kept = () => fs.readdirSync(packages).length;
  return { box, packages, runs, kept, age };
}

test('rm and prune remove packages that no run needs any more, and report their size', async () => {
  const { box, packages, runs, kept } = await runsWithSkills(['one', 'two', 'three']);
  execFileSync('mkfifo', [path.join(packages, 'a'.repeat(64))]);
  const first = await box.here(['rm', '--yes', runs[0]!]);
  expect(first.stdout).toMatch(/^removed [0-9a-f]{8}\n1 unused skill package removed, \d+ B\n$/);
  expect(kept()).toBe(3);
  const prune = ['prune', '--older-than', '1ms'];
  const dry = await box.jsonHere<{ packages: FreedPackages }>([...prune, '--dry-run']);
  expect(dry).toMatchObject({ removed: false, packages: { count: 2, unreadable: [] } });
  expect(kept()).toBe(3);
  expect((await box.here([...prune, '--dry-run'])).stdout).toMatch(
    /2 unused skill packages would be removed, \d+ B\n$/,
  );
  expect((await box.here(prune)).stdout).toMatch(/2 runs removed, .*\n2 unused skill packages removed, \d+ B\n$/);
  expect(kept()).toBe(1);
});

test('a run whose record cannot be read keeps them, and the command says so', async () => {
  const { box, runs, kept } = await runsWithSkills(['one', 'two']);
  const record = path.join(box.home, 'runs', runs[1]!, '.run.json');
  fs.rmSync(record);
  execFileSync('mkfifo', [record]);
  const handle = runs[1]!.slice(-8);
  const { stdout } = await box.here(['rm', '--yes', runs[0]!]);
  expect(stdout).toContain(`unused skill packages are kept: run ${handle} cannot be read`);
  expect(kept()).toBe(2);
  expect((await box.here(['rm', '--yes', '--force', handle])).stdout).toMatch(/\n2 unused skill packages removed, /);
});

test('the server removes them with the run', async () => {
  const { box, runs, kept } = await runsWithSkills(['one', 'two']);
  const { director } = await openService({ home: box.home });
  await director.remove(runs[0]!);
  await expect.poll(kept).toBe(1);
});

test('the answer of the server and the record name skills that are left out, and why', async () => {
  const box = sandbox();
  writeFiles(path.join(box.home, 'skills/one'), plainSkill('one'));
  writeFiles(path.join(box.home, 'skills/two'), plainSkill('two', 'required_env_vars: [NOT_THERE]\n'));
  const { director } = await openService({ home: box.home });
  const skipped_skills = [
    { skill: '$[user].two', code: 'SKILL_ENV_MISSING', message: expect.stringContaining('NOT_THERE') },
  ];
  const request = { engine: 'demo', prompt: 'fail', skills: 'all', engine_args: ['--pace=0'] };
  const created = await director.create(input(request));
  expect(created).toMatchObject({ skipped_skills });
  expect(await whenEnded(director, created.run_id)).toMatchObject({ skipped_skills });
  const { stdout } = await box.here(['show', created.run_id]);
  expect(stdout).toMatch(/ {2}left out {2}\$\[user\]\.two: .*NOT_THERE/);
  const none = await director.create(input({ ...request, skills: ['one'] }));
  expect(none).not.toHaveProperty('skipped_skills');
  await whenEnded(director, none.run_id);
});
