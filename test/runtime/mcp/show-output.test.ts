import fc from 'fast-check';
import { expect, test } from 'vitest';
import { showOutput } from '../../../src/runtime/mcp/show-output.ts';
import { encodeBytes } from '../../../src/terminal/index.ts';

test('head and tail of any output are shown unchanged, and the rest can be read by its cursor', () => {
  fc.assert(
    fc.property(
      fc.uint8Array(),
      fc.uint8Array(),
      fc.nat(),
      fc.option(fc.integer({ min: 1 })),
      (first, last, from, bytes) => {
        const head = Buffer.from(first);
        const tail = Buffer.from(last);
        const omitted = bytes === null ? null : { at: head.length, bytes };
        const to = from + head.length + (bytes ?? 0) + tail.length;
        const encoded = encodeBytes(Buffer.concat([head, tail]));
        const shown = showOutput({ ...encoded, from, to, omitted });
        const exact = encoded.encoding === 'utf8';
        if (omitted === null) {
          expect(shown).toEqual({ text: Buffer.concat([head, tail]).toString(), from, to, exact, omitted: null });
        } else {
          const text = `${head}\n[… ${bytes} bytes left out …]\n${tail}`;
          expect(shown).toEqual({ text, from, to, exact, omitted: { after: from + head.length, bytes } });
        }
      },
    ),
  );
});
