import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../../src/demo/index.ts';
import type { Meta } from '../../../src/protocol/index.ts';
import { skillFile, temporaryFolder, writeFiles } from '../../skills/skill-folder.ts';
import { ENGINE_ENVIRONMENT } from '../../support/real-engine.ts';
import { VARIANTS } from '../../support/scenarios.ts';
import { sharedService, whenResting } from '../../support/service.ts';
import { sandbox, until } from '../../support/tacho.ts';

const DESCRIPTION = 'Counts the findings of a zebra survey.';
const SURVEY = {
  'SKILL.md': skillFile('survey', { description: DESCRIPTION, body: '# Survey\nCount the findings.\n' }),
  'assets/runner.json': JSON.stringify({
    version: '2.0.0',
    schemas: { output: 'assets/output.json' },
    artifacts: [{ pattern: 'report/**', role: 'report', required: true }],
  }),
  'assets/output.json': JSON.stringify({
    type: 'object',
    properties: { summary: { type: 'string' } },
    required: ['summary'],
    additionalProperties: false,
  }),
};

/** The model prints the done marker only if the request holds the contract. */
describe('one skill on all real CLIs', () => {
  const service = sharedService({ env: ENGINE_ENVIRONMENT });
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer({});
    writeFiles(path.join(service.home, 'skills/survey'), SURVEY);
  });
  afterAll(() => server.close());

  test.each(VARIANTS)(
    '$name finds it, follows its contract and delivers the same',
    async ({ name, engine, arguments: words }) => {
      const cwd = repository();
      const key = name.replaceAll(' ', '-');
      const model = words.indexOf('--model') < 0 ? {} : { model: words[words.indexOf('--model') + 1]! };
      const format = words.indexOf('--format') < 0 ? {} : { format: words[words.indexOf('--format') + 1]! };
      const { run_id } = await service.client.createRun({
        engine,
        ...model,
        ...format,
        cwd,
        skill: 'survey',
        base_url: `${server.url}/sc/skill:${key}`,
        limits: { timeout_ms: 150_000 },
      });
      const run = await whenResting(service.client, run_id);
      await until(() => service.record(run_id).live === null);

      const requests = server.requests().filter((request) => request.key === key && !request.side);
      const bodies = requests.map(({ body }) => JSON.stringify(body));
      expect(bodies[0]).toContain(DESCRIPTION);
      expect(bodies.some((body) => body.includes('tacho:layer completion'))).toBe(true);
      expect(run).toMatchObject({ status: 'succeeded', attempt: 1 });

      const result = await service.client.result(run_id);
      expect(result).toMatchObject({
        payload: { summary: 'one finding' },
        validity: { state: 'valid', violations: [] },
        artifacts: [{ path: 'report/findings.txt', role: 'report' }],
      });
      const report = await service.client.artifact(run_id, 'report/findings.txt');
      expect(Buffer.from(report).toString()).toBe('one finding\n');
      const meta = JSON.parse(
        fs.readFileSync(path.join(service.home, 'runs', run_id, '.audit/meta.1.json'), 'utf8'),
      ) as Meta;
      expect(meta.skills).toMatchObject([{ name: 'survey', version: '2.0.0', delivery: 'engine' }]);
      expect(meta.skills?.[0]?.layers.map(({ layer }) => layer)).toEqual(['artifacts', 'completion', 'output', 'mode']);
      await until(() => !fs.existsSync(path.join(service.home, 'env/skills', run.handle)));
      expect(git(cwd, 'status', '--porcelain', '--ignored')).toBe('');
      expect(fs.readdirSync(cwd).sort()).toEqual(['.git', 'readme.md']);
    },
  );

  test.each(['codex', 'gemini', 'opencode', 'claude', 'qwen', 'pi'])(
    '%s continues its session afterwards',
    async (engine) => {
      const box = sandbox();
      // Without required files, which the model may not write again, there is no repair turn.
      writeFiles(path.join(box.home, 'skills/survey'), { ...SURVEY, 'assets/runner.json': '{}' });
      const words = ['--base-url', `${server.url}/sc/skill:again-${engine}`, '--timeout', '150s'];
      const env = ENGINE_ENVIRONMENT;
      const first = await box.json<Session>(['run', engine, ...words, '--skill', 'survey'], { env });
      const again = await box.json<Session>(['resume', '--reopen', first.run_id, 'Once more.'], { env });
      expect(again.session_id).toBe(first.session_id);
      expect(again.attempt).toBeGreaterThan(first.attempt);
    },
  );
});

type Session = { run_id: string; attempt: number; session_id: string | null };

function repository(): string {
  const folder = temporaryFolder();
  git(folder, 'init', '--quiet');
  fs.writeFileSync(path.join(folder, 'readme.md'), 'zebras\n');
  git(folder, 'add', '.');
  git(folder, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message', 'first');
  return folder;
}

function git(cwd: string, ...words: string[]): string {
  return execFileSync('git', words, { cwd, encoding: 'utf8' });
}
