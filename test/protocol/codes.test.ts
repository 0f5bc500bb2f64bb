import { expect, test } from 'vitest';
import { DIAGNOSTIC_CODES, ERROR_MEANINGS, EXIT_CODES, TachoError } from '../../src/protocol/index.ts';

const meanings: [string, string][] = [...Object.entries(DIAGNOSTIC_CODES), ...Object.entries(ERROR_MEANINGS)];

test.each(meanings)('%s has a description of one sentence', (code, meaning) => {
  expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
  expect(meaning).toMatch(/^\S.*[^.]\.$/);
  expect(meaning).not.toContain('\n');
});

test('no error has exit code 0', () => {
  for (const [code, exit] of Object.entries(EXIT_CODES)) expect([1, 2, 3, 126, 127], code).toContain(exit);
});

test('an error has its code, its facts and its cause', () => {
  const cause = new Error('EACCES');
  const error = new TachoError('RUN_LOCKED', 'another process writes it', { facts: { pid: 7 }, fix: 'Wait.', cause });
  expect(error).toMatchObject({ name: 'TachoError', code: 'RUN_LOCKED', facts: { pid: 7 }, fix: 'Wait.', cause });
  expect(new TachoError('INTERNAL', 'bare')).toMatchObject({ facts: {}, fix: undefined });
  expect('cause' in new TachoError('INTERNAL', 'bare')).toBe(false);
});
