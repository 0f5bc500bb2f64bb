import { test } from 'vitest';
import { ERROR_CODES } from '../../src/protocol/index.ts';
import { expectGenerated, markdownTable } from './page.ts';

test('the table of errors says what ERROR_CODES says', () => {
  const rows = Object.entries(ERROR_CODES).map(([code, { exit, meaning }]) => [`\`${code}\``, String(exit), meaning]);
  expectGenerated('docs/errors.md', 'errors', markdownTable(['code', 'exit code', 'meaning'], rows));
});
