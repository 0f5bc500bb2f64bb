import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mcpToolName } from '../../../src/tools/mcp/tool-name.ts';

const server = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,31}$/);
const tool = fc.oneof(fc.stringMatching(/^[a-zA-Z0-9_-]{1,80}$/), fc.string({ minLength: 1, unit: 'binary' }));

describe('mcpToolName', () => {
  it('keeps names that providers accept', () => {
    expect(mcpToolName('files', 'read_file')).toBe('mcp__files__read_file');
    expect(mcpToolName('a', '_c')).toBe('mcp__a___c');
  });

  it('shortens long names and replaces odd characters, with a hash', () => {
    expect(mcpToolName('files', 'read file')).toMatch(/^mcp__files__read_file_[0-9a-f]{12}$/);
    expect(mcpToolName('files', 'x'.repeat(100))).toMatch(/^mcp__files__x{39}_[0-9a-f]{12}$/);
    expect(mcpToolName('s'.repeat(32), 'y'.repeat(100))).toMatch(/^mcp__s{32}__y{12}_[0-9a-f]{12}$/);
  });

  it('always gives a name that providers accept, with the server in it, and the same one again', () => {
    fc.assert(
      fc.property(server, tool, (one, name) => {
        const made = mcpToolName(one, name);
        expect(made).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(made.startsWith(`mcp__${one}__`)).toBe(true);
        expect(mcpToolName(one, name)).toBe(made);
      }),
    );
  });

  it('gives different tools different names', () => {
    const few = fc.stringMatching(/^[a_]{1,5}$/);
    fc.assert(
      fc.property(fc.tuple(few, few), fc.tuple(few, few), ([one, first], [other, second]) => {
        const isSame = one === other && first === second;
        expect(mcpToolName(`s${one}`, first) === mcpToolName(`s${other}`, second)).toBe(isSame);
      }),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(server, fc.uniqueArray(tool, { maxLength: 20 }), (one, tools) => {
        expect(new Set(tools.map((name) => mcpToolName(one, name))).size).toBe(tools.length);
      }),
    );
  });
});
