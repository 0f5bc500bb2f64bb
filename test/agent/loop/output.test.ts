import { expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { Agent } from '../../../src/agent/agent.ts';
import { say } from '../../../src/agent/models/script.ts';
import { carryOut, dataOf, testAgent } from '../../support/agent.ts';

const schema = z.object({ files: z.array(z.string()), ok: z.boolean().default(true) });

it('returns a checked value of the type of the schema', async () => {
  const { options, model } = testAgent({ script: [say('```json\n{"files":["a.ts"]}\n```')] });
  const agent = new Agent({ ...options, output: schema });
  const result = await agent.run('List them').result;
  if (result.status !== 'completed') throw new Error(result.status);
  expectTypeOf(result.output).toEqualTypeOf<{ files: string[]; ok: boolean }>();
  expect(result.output).toEqual({ files: ['a.ts'], ok: true });
  expect(model.requests[0]!.outputSchema).toMatchObject({ type: 'object', required: ['files'] });
});

it('asks once for a correction, with every violation', async () => {
  const parts = testAgent({
    script: [say('{"files":"a.ts","ok":1}'), say('{"files":[],"ok":false}')],
    output: schema as never,
  });
  const { result, events } = await carryOut(parts);
  expect(result).toMatchObject({ status: 'completed', output: { files: [], ok: false } });
  expect(dataOf(events, 'output_rejected')[0]!.violations).toEqual([
    expect.stringContaining('/files'),
    expect.stringContaining('/ok'),
  ]);
  expect(JSON.stringify(parts.model.requests[1]!.prompt.at(-1))).toContain('/files');
});

it('fails with the violations if the correction is wrong too', async () => {
  const parts = testAgent({ script: [say('no JSON'), say('{}')], output: schema as never });
  const { result } = await carryOut(parts);
  expect(result).toMatchObject({
    status: 'failed',
    reason: 'output_invalid',
    message: expect.stringContaining('files'),
  });
});
