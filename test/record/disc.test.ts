import { expect, test } from 'vitest';
import { discShapes, discSvg, discTime, emptyModel, foldEvents, lengthOf } from '../../src/record/index.ts';
import { eventsOf } from '../studio/events.ts';

const model = foldEvents(
  eventsOf([
    ['lifecycle.run.status', { status: 'running' }],
    ['tool.call.started', { call_id: 'c', name: 'run' }],
    ['tool.call.completed', { call_id: 'c', name: 'run' }],
    ['artifact.created', { path: 'a', size: 1, sha256: null }],
    ['lifecycle.run.status', { status: 'waiting_user' }],
    ['lifecycle.run.status', { status: 'running' }, 2],
    ['lifecycle.run.status', { status: 'succeeded' }, 2],
  ]),
);

test('tools, waiting, files and attempts have their parts of the disc', () => {
  const kinds = discShapes(model, 96).map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['paper', 'attempt', 'tools', 'waiting', 'files', 'rim']));
  expect(kinds).not.toContain('failed');
});

test('a small disc has no lines between its rings, and an empty run has an empty disc', () => {
  expect(discShapes(model, 20).map(({ kind }) => kind)).not.toContain('lines');
  expect(discShapes(emptyModel(), 20).map(({ kind }) => kind)).toEqual(['paper', 'rim', 'hub']);
});

test('every path has only numbers', () => {
  for (const { d } of [...discShapes(model, 96), ...discShapes(emptyModel(), 20)]) {
    expect(d).toMatch(/^M/);
    expect(d).not.toMatch(/NaN|Infinity|undefined/);
  }
});

test('a point on the disc maps to a time: clockwise, from the top', () => {
  const length = lengthOf(model);
  const at = (x: number, y: number) => discTime(model, { x, y, size: 100 });
  expect(at(50.001, 1)).toBeCloseTo(0, 0);
  expect(at(99, 50)).toBeCloseTo(length / 4);
  expect(at(50, 99)).toBeCloseTo(length / 2);
  expect(at(1, 50)).toBeCloseTo((length * 3) / 4);
  expect(at(50, 50)).toBeNull();
  expect(at(2, 2)).toBeNull();
});

test('an exported disc is self-contained: fixed colours, and a title of plain text', () => {
  const svg = discSvg(model, { size: 480, title: '</title><script>alert(1)</script>' });
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="480"/);
  expect(svg).not.toContain('<script>');
  expect(svg).not.toContain('var(--');
  expect(svg).toContain('fill="#6a3fc0"');
});
