import { expect, it } from 'vitest';
import { ChildStderr } from '../../../src/runtime/agents/child-stderr.ts';

function reporting() {
  const lines: string[] = [];
  return { lines, stderr: new ChildStderr('run-a', (text) => lines.push(text)) };
}

it('reports whole lines with the id of the agent, however they arrive', () => {
  const { lines, stderr } = reporting();
  for (const byte of Buffer.from('erste Zeile äöü\nzweite\nrest')) stderr.push(Buffer.from([byte]));
  expect(lines).toEqual(['agent run-a: erste Zeile äöü\n', 'agent run-a: zweite\n']);
  stderr.end();
  expect(lines.at(-1)).toBe('agent run-a: rest\n');
  expect(stderr.tail).toBe('erste Zeile äöü\nzweite\nrest');
});

it('leaves out what exceeds the limit, and says so once; the end is still known', () => {
  const { lines, stderr } = reporting();
  for (let n = 0; n < 5000; n++) stderr.push(Buffer.from(`${'x'.repeat(100)} ${n}\n`));
  const length = lines.join('').length;
  expect(length).toBeLessThan(100_000);
  expect(lines.filter((line) => line.includes('left out'))).toHaveLength(1);
  expect(stderr.tail.endsWith(' 4999')).toBe(true);
});

it('does not hold a line without an end', () => {
  const { lines, stderr } = reporting();
  for (let n = 0; n < 1000; n++) stderr.push(Buffer.from('y'.repeat(1000)));
  expect(lines.join('').length).toBeLessThan(100_000);
  expect(stderr.tail.length).toBeLessThanOrEqual(2000);
});
