import { describe, expect, test } from 'vitest';
import { createPiParser } from '../../../src/engines/pi/parser.ts';
import type { RaspDraft, RaspType } from '../../../src/protocol/index.ts';
import { createProgress } from '../../../src/runs/attempt/progress.ts';
import { parserContext } from '../../engines/read-log.ts';
import { raspEvent } from '../../protocol/samples.ts';

const draft = (type: RaspType, data?: object): RaspDraft => raspEvent(type, data ? { data } : {});
const retry = draft('diagnostic.engine.error', { code: 'ENGINE_RETRY', message: 'again', severity: 'warning' });
const error = draft('diagnostic.engine.error');
const raw = draft('raw.stderr');
const phase = draft('lifecycle.run.status', { status: 'running', phase: 'turn_start' });
const delta = draft('agent.message.delta');

describe('progress', () => {
  test.each<[string, RaspDraft[], boolean]>([
    ['a retry is not progress', [retry], false],
    ['several retries are not progress', [retry, retry], false],
    ['output in addition to a retry is not progress', [raw, retry, raw], false],
    ['a phase in addition to a retry is not progress', [phase, retry], false],
    ['a message in addition to a retry is progress', [retry, delta], true],
    ['another error is progress: the engine continues after it', [retry, error], true],
    ['unrecognised output is progress', [raw], true],
    ['bytes without an event yet are progress', [], true],
  ])('%s', (_title, drafts, expected) => {
    const progress = createProgress(1);
    progress.note(drafts, 2);
    expect(progress.last).toBe(expected ? 2 : 1);
  });

  test('what leads only to the next retry is not progress, once that is known', () => {
    const progress = createProgress(1);
    progress.note([retry], 2);
    progress.note([phase], 3);
    expect(progress.last).toBe(3);
    progress.note([retry], 5);
    expect(progress.last).toBe(1);
  });

  test('text after a retry, such as a stack trace, is not progress', () => {
    const progress = createProgress(1);
    progress.note([retry], 2);
    progress.note([], 3);
    progress.note([raw]);
    progress.note([raw], 4);
    expect(progress.last).toBe(1);
    progress.note([phase], 5);
    expect(progress.last).toBe(5);
  });

  test('what was said between two retries stays progress, also if its event comes late', () => {
    const progress = createProgress(1);
    progress.note([retry], 2);
    progress.note([], 3);
    progress.note([delta]);
    progress.note([retry], 4);
    expect(progress.last).toBe(3);
  });

  test('endless retries of pi, each a whole turn of its own, are not progress', () => {
    const failed = { role: 'assistant', content: [], stopReason: 'error', errorMessage: '503 busy' };
    const turn = [
      { type: 'agent_start' },
      { type: 'turn_start' },
      { type: 'message_start', message: failed },
      { type: 'message_end', message: failed },
      { type: 'turn_end', message: failed, toolResults: [] },
      { type: 'agent_end', messages: [failed] },
      { type: 'auto_retry_start', attempt: 1, maxAttempts: 100, delayMs: 2000, errorMessage: '503 busy' },
    ];
    const parser = createPiParser(parserContext('pi'));
    const progress = createProgress(0);
    let time = 0;
    const read = (event: object) => {
      time++;
      progress.note(parser.push('stdout', Buffer.from(`${JSON.stringify(event)}\n`), time), time);
    };
    turn.forEach(read);
    const first = progress.last;
    for (let count = 0; count < 20; count++) turn.forEach(read);
    expect(progress.last).toBe(first);
  });
});
