import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../../src/demo/index.ts';
import { type Meta, type RunView, totalTokens, type Usage } from '../../../src/protocol/index.ts';
import { type Bill, billed, sumOf, writeBilledRun } from '../../support/billed-fixtures.ts';
import { enginesFolder } from '../../support/install-engines.ts';
import { updatingFixtures } from '../../support/live-fixture.ts';
import { ENGINE_ENVIRONMENT } from '../../support/real-engine.ts';
import { VARIANTS, type Variant } from '../../support/scenarios.ts';
import { sharedService, whenResting } from '../../support/service.ts';
import { until } from '../../support/tacho.ts';

/** Engines that report usage only at the end of a turn, so that a budget ends them there. */
const BY_TURN = new Set(['codex', 'gemini']);
const CALLS_PER_TURN = 2;

describe('usage of real CLIs is what the model server billed', () => {
  const service = sharedService({ env: ENGINE_ENVIRONMENT });
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer({});
  });
  afterAll(() => server.close());

  /** Requests for a title are billed too, but engines do not report them. */
  const billsOf = (key: string): Bill[] =>
    server.requests().flatMap((request) => (request.key === key && !request.side && request.billed) || []);

  async function start(variant: Variant, key: string, limits: object = {}): Promise<RunView> {
    const { run_id } = await service.client.createRun({
      ...requestOf(variant),
      prompt: 'PROMPT: please do the scripted task.',
      mode: 'interactive',
      base_url: `${server.url}/sc/cached:${key}`,
      limits: { timeout_ms: 150_000, ...limits },
    });
    return whenSealed(run_id);
  }

  async function reply(run: RunView): Promise<RunView> {
    const { interaction_id } = run.question!;
    await service.client.reply(run.run_id, { interaction_id, text: 'Once more.' });
    return whenSealed(run.run_id);
  }

  /** The run once its attempt is over, with all files written. */
  async function whenSealed(runId: string): Promise<RunView> {
    const run = await whenResting(service.client, runId);
    await until(() => service.record(runId).live === null);
    return run;
  }

  function attemptsOf(runId: string, bills: readonly Bill[]) {
    return [0, 1, 2].map((at) => ({
      stdout: fs.readFileSync(path.join(service.home, 'runs', runId, `.audit/stdout.${at + 1}.log`)),
      bills: bills.slice(at * CALLS_PER_TURN, (at + 1) * CALLS_PER_TURN),
    }));
  }

  test.each(VARIANTS)('$name: each of three attempts, and their sum', async (variant) => {
    const key = `${variant.name.replaceAll(' ', '-')}-sum`;
    let run = await start(variant, key);
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(run, JSON.stringify(run)).toMatchObject({ status: 'waiting_user', attempt });
      const bills = billsOf(key);
      expect(bills).toHaveLength(attempt * CALLS_PER_TURN);
      const meta = readMeta(service.home, run.run_id, attempt);
      expect(billed(meta.usage)).toEqual(sumOf(bills.slice(-CALLS_PER_TURN)));
      expect(billed(run.usage)).toEqual(sumOf(bills));
      if (attempt < 3) run = await reply(run);
    }
    if (!updatingFixtures) return;
    const name = variant.name.replaceAll(' ', '-');
    const attempts = attemptsOf(run.run_id, billsOf(key));
    writeBilledRun(
      { name, engine: variant.engine, attempts },
      { [enginesFolder]: '/opt/engines', [service.home]: '/srv' },
    );
  });

  test.each(VARIANTS)('$name: a token budget ends the run at the call that exceeds it', async (variant) => {
    const name = variant.name.replaceAll(' ', '-');
    const calls = billsOf(`${name}-sum`).map((bill) => sumOf([bill]).total_tokens);
    const upTo = (call: number) => calls.slice(0, call).reduce((all, tokens) => all + tokens, 0);
    const third = CALLS_PER_TURN + 1;
    // One token less than the first call of the second attempt needs.
    const total_tokens = upTo(third) - 1;
    const waiting = await start(variant, `${name}-budget`, { total_tokens });
    expect(waiting, JSON.stringify(waiting)).toMatchObject({ status: 'waiting_user' });
    const run = await reply(waiting);
    expect(run).toMatchObject({ status: 'failed', last: { reason_code: 'BUDGET_EXCEEDED' } });
    if (BY_TURN.has(variant.engine)) {
      expect(totalTokens(run.usage!)).toBe(upTo(third + 1));
      return;
    }
    const reported = service
      .events(run.run_id)
      .filter(({ attempt_number }) => attempt_number === 2)
      .map(({ data }) => (data as { usage?: Usage }).usage)
      .filter((usage) => usage !== undefined);
    expect(billed(reported.find((usage) => upTo(CALLS_PER_TURN) + totalTokens(usage)! > total_tokens)!)).toEqual(
      sumOf(billsOf(`${name}-sum`).slice(CALLS_PER_TURN, third)),
    );
  });
});

function requestOf({ engine, arguments: words }: Variant): { engine: string; model?: string; format?: string } {
  const option = (name: string) => (words.includes(name) ? words[words.indexOf(name) + 1]! : undefined);
  const [model, format] = [option('--model'), option('--format')];
  return { engine, ...(model ? { model } : {}), ...(format ? { format } : {}) };
}

function readMeta(home: string, runId: string, attempt: number): Meta {
  return JSON.parse(fs.readFileSync(path.join(home, 'runs', runId, `.audit/meta.${attempt}.json`), 'utf8')) as Meta;
}
