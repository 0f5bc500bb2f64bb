import { expect, test } from 'vitest';
import { DIAGNOSTIC_CODES } from '../../src/protocol/index.ts';
import { diagnosticsOf } from '../../studio/model/events/diagnostic-groups.ts';
import { diagnostics as diagnosticTexts } from '../../studio/text/sections/diagnostics.ts';
import { event, runOf } from './evidence-events.ts';

const warning = (code: string, severity: 'info' | 'warning' | 'error', at: number) =>
  event({ type: 'diagnostic.runtime.warning', data: { code, message: `${code} at ${at}`, severity }, at });

const model = runOf(
  warning('ENGINE_RETRY', 'warning', 0),
  warning('ENGINE_ERROR', 'error', 10),
  warning('ENGINE_RETRY', 'info', 20),
  event({ type: 'raw.stdout', data: { text: 'perhaps', lines: 1 }, confidence: 0.4, at: 30 }),
);

test('diagnostics are grouped by code, the most severe first, and counted by severity', () => {
  const { groups, counts, outside } = diagnosticsOf(model, { window: null, below: 0.3 });
  expect(groups.map(({ code, severity, places }) => [code, severity, places.map(({ seq }) => seq)])).toEqual([
    ['ENGINE_ERROR', 'error', [2]],
    ['ENGINE_RETRY', 'warning', [1, 3]],
  ]);
  expect(counts).toEqual({ error: 1, warning: 1, info: 1 });
  expect(outside).toBe(0);
});

test('events below the confidence threshold are listed separately', () => {
  const { groups } = diagnosticsOf(model, { window: null, below: 0.7 });
  expect(groups.at(-1)).toMatchObject({ code: null, places: [{ seq: 4, time: 30 }] });
});

test('a time window hides diagnostics outside of it, and shows their number', () => {
  const { groups, outside } = diagnosticsOf(model, { window: { from: 5, to: 15 }, below: 0.7 });
  expect(groups.map(({ code }) => code)).toEqual(['ENGINE_ERROR']);
  expect(outside).toBe(2);
});

test('exactly the codes of the protocol have a Chinese meaning', () => {
  expect(Object.keys(diagnosticTexts.meanings).sort()).toEqual(Object.keys(DIAGNOSTIC_CODES).sort());
});
