import { describe, expect, it } from 'vitest';
import { answerOf } from '../../../src/tools/mcp/call-result.ts';

const PIXEL = Buffer.from('a small picture').toString('base64');

describe('an answer of an MCP server', () => {
  it('is its texts, one after the other', () => {
    const content = ['one', 'two'].map((text) => ({ type: 'text', text }));
    expect(answerOf({ content })).toEqual({ ok: true, stdout: 'one\ntwo' });
  });

  it('has structured content as data', () => {
    expect(answerOf({ content: [], structuredContent: { n: 1 } })).toEqual({ ok: true, stdout: '', data: { n: 1 } });
  });

  it('describes what is not text, with its size', () => {
    const content = [
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
      { type: 'audio', data: PIXEL, mimeType: 'audio/\u001b[2Jwav' },
      { type: 'resource', resource: { uri: 'a://b', mimeType: 'x/y', blob: PIXEL } },
      { type: 'resource', resource: { uri: 'a://c', text: 'hello' } },
      { type: 'resource_link', uri: 'a://d', name: 'D' },
    ];
    expect(answerOf({ content })).toMatchObject({
      stdout: [
        '[image, image/png, 15 bytes]',
        '[audio, audio/[2Jwav, 15 bytes]',
        '[resource, x/y, a://b, 15 bytes]',
        '[resource, a://c, 5 bytes]\nhello',
        '[link to a resource, D, a://d]',
      ].join('\n'),
    });
  });

  it('that is an error is one', () => {
    const content = [{ type: 'text', text: 'it broke' }];
    expect(answerOf({ content, isError: true })).toMatchObject({ ok: false, error_kind: 'failed', stderr: 'it broke' });
    expect(answerOf({ isError: true })).toMatchObject({ ok: false, stderr: 'the tool reports an error' });
  });

  it('that makes no sense is described as that', () => {
    const content = [null, 7, {}, { type: 'text' }, { type: 'image' }, { type: 'resource' }, { type: 'dance' }];
    expect(answerOf({ content })).toMatchObject({
      ok: true,
      stdout: expect.stringContaining('[dance of an unknown type]'),
    });
    expect(answerOf({ content: 'text' })).toEqual({ ok: true, stdout: '' });
  });

  it('has no half characters, which no provider accepts', () => {
    expect(answerOf({ content: [{ type: 'text', text: 'a\ud800b' }] })).toMatchObject({ stdout: 'a\ufffdb' });
  });

  it('with a million items is cut', () => {
    const content = Array.from({ length: 1_000_000 }, () => ({ type: 'text', text: 'x' }));
    expect((answerOf({ content }) as { stdout: string }).stdout.length).toBeLessThan(3000);
  });
});
