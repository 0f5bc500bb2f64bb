import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinTools } from '../../../src/tools/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { call, contextFor, workspaceWith } from '../tool-context.ts';

const numRuns = proofSize({ small: 60, full: 1000 });

/** Few different lines, so that the same ones are in many places. */
const line = fc.constantFrom(
  'a',
  'b',
  'c',
  '',
  ' ',
  '\tindented',
  '-- dashes',
  '++ plus',
  '@@ -1 +1 @@',
  'ä€😀',
  'x ',
  '*** End Patch',
);
const ended = fc.tuple(line, fc.constantFrom('\n', '\n', '\n', '\r\n')).map((parts) => parts.join(''));
const text = fc
  .tuple(fc.array(ended, { maxLength: 30 }), fc.option(line, { nil: '' }))
  .map(([lines, last]) => lines.join('') + last);

/** A text and another that a few edits made of it. */
const edited = fc
  .tuple(
    fc.array(ended, { minLength: 1, maxLength: 40 }),
    fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.array(ended, { maxLength: 3 })), { minLength: 1, maxLength: 4 }),
  )
  .map(([lines, edits]) => {
    const after = [...lines];
    for (const [at, removed, added] of edits) after.splice(at % (after.length + 1), removed, ...added);
    return [lines.join(''), after.join('')] as const;
  });

/** The patch that diff makes; null if both are equal. */
function diff(before: string, after: string, context: number): string | null {
  const folder = workspaceWith({ before, after });
  const { stdout, status } = spawnSync(
    'diff',
    ['--text', `-U${context}`, '--label', 'a/file', '--label', 'b/file', 'before', 'after'],
    { cwd: folder, encoding: 'utf8' },
  );
  return status === 0 ? null : stdout;
}

async function apply(before: string, patch: string) {
  const root = workspaceWith({ file: before, other: 'other' });
  const result = await call(builtinTools(), 'apply_patch', { patch }, contextFor(root));
  expect(fs.readdirSync(root)).toEqual(['file', 'other']);
  return { result, after: fs.readFileSync(path.join(root, 'file'), 'utf8') };
}

describe('apply_patch with patches of diff', () => {
  it('gives exactly the other text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(edited, fc.tuple(text, text)),
        fc.integer({ min: 0, max: 5 }),
        async ([before, after], context) => {
          const patch = diff(before, after, context);
          if (patch === null) return;
          const applied = await apply(before, patch);
          expect(applied.result.stderr).toBe('');
          expect(applied.after).toBe(after);
        },
      ),
      { numRuns },
    );
  });

  it('changes nothing if a line of the patch is damaged', async () => {
    await fc.assert(
      fc.asyncProperty(
        edited,
        fc.nat(),
        fc.constantFrom('changed', 'removed', 'cut'),
        async ([before, after], at, damage) => {
          const patch = diff(before, after, 3);
          if (patch === null) return;
          const lines = patch.split('\n').slice(0, -1);
          // Any line that is in the file now; added ones may say anything.
          const old = lines.flatMap((text, index) => (index > 2 && /^[ -]/.test(text) ? [index] : []));
          if (old.length === 0) return;
          const hit = old[at % old.length]!;
          if (damage === 'changed') lines[hit] = `${lines[hit]![0]}something else`;
          else if (damage === 'removed') lines.splice(hit, 1);
          else lines.splice(hit);
          const applied = await apply(before, `${lines.join('\n')}\n`);
          expect(applied.result.ok).toBe(false);
          expect(['conflict', 'invalid_arguments']).toContain(applied.result.error_kind);
          expect(applied.after).toBe(before);
        },
      ),
      { numRuns },
    );
  });
});
