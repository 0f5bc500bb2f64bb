import { test } from 'vitest';
import { ERROR_MEANINGS, type ErrorCode, EXIT_CODES } from '../../src/protocol/index.ts';
import { expectGenerated, markdownTable } from './page.ts';

test('the table of errors matches the code', () => {
  const rows = Object.entries(EXIT_CODES).map(([code, exit]) => [
    `\`${code}\``,
    String(exit),
    ERROR_MEANINGS[code as ErrorCode],
  ]);
  expectGenerated('docs/errors.md', 'errors', markdownTable(['code', 'exit code', 'meaning'], rows));
});
