import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../skills/skill-folder.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { processesWith, tachoCommand, temporaryFolder, until } from '../../support/tacho.ts';
import { BAD, COUNT_SKILL, GOOD } from '../result/count-skill.ts';
import { input, openService, whenEnded } from './open-service.ts';

const REAL = `'${process.execPath}' '${tachoCommand}' "$@"`;
const when = (name: string) => `until [ -e "$0.${name}" ]; do sleep 0.02; done`;

/** A command that starts supervisors as `script` says, in which `$number` counts them. */
function supervisors(script: string) {
  const log = path.join(temporaryFolder(), 'started');
  fs.writeFileSync(log, '');
  const started = () => fs.readFileSync(log, 'utf8').split('\n').filter(Boolean).map(Number);
  return {
    command: ['sh', '-c', `echo $$ >> "$0"; number=$(wc -l < "$0"); ${script}`, log],
    /** Their process ids. */
    started,
    allow: (name: string) => fs.writeFileSync(`${log}.${name}`, ''),
    /** Resolves when this process has dealt with the end of a supervisor: only then is its id free. */
    ended: (number: number) => until(() => !fs.existsSync(`/proc/${started()[number - 1]}`)),
  };
}

test('a server that closes does not fail a run whose supervisor dies meanwhile: the next one starts it', async () => {
  const { command, started, allow, ended } = supervisors(when('end'));
  const { director, home } = await openService({ command });
  const { run_id } = await director.create(input({ command: ['true'] }));
  await until(() => started().length === 1);
  await director.close();
  allow('end');
  await ended(1);
  const { director: next } = await openService({ home });
  expect(await whenEnded(next, run_id)).toMatchObject({ status: 'succeeded', attempt: 1 });
});

test('the end of a supervisor says nothing about the next one, which has not begun yet', async () => {
  const { command, started, allow, ended } = supervisors(
    `if [ "$number" = 1 ]; then ${REAL}; ${when('end')}; else ${when('begin')}; exec ${REAL}; fi`,
  );
  const { director, home } = await openService({ command, env: fakeEngine('codex', 'codex-result.mjs'), slots: 1 });
  writeFiles(path.join(home, 'skills/count'), COUNT_SKILL);
  const turns = [{ say: BAD }, { say: GOOD }];
  const { run_id } = await director.create(
    input({ engine: 'codex', base_url: 'http://127.0.0.1:9', skill: 'count', input: { turns } }),
  );
  await until(() => started().length === 2);
  allow('end');
  await ended(1);
  allow('begin');
  expect(await whenEnded(director, run_id)).toMatchObject({ status: 'succeeded', attempt: 2 });
  await until(() => processesWith(`supervise\u0000${home}`).length === 0);
  expect(started()).toHaveLength(2);
});
