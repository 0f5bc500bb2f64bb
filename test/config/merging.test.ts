import fc from 'fast-check';
import { expect, test } from 'vitest';
import { configFields } from '../../src/config/field-table.ts';
import { splitPath } from '../../src/config/key-path.ts';
import { resolveConfig, resolveOrigins } from '../../src/config/origins.ts';
import type { Config } from '../../src/config/schema.ts';
import { readLayer } from '../../src/config/settings.ts';
import { locate } from '../../src/config/sources/located.ts';
import { proofSize } from '../support/proof-size.ts';

type Entry = Record<string, unknown> | null;
type Targets = Record<string, Entry>;

/** An entry without required values, so that every combination is complete; names with a dot are quoted in paths. */
const entry = fc.option(
  fc.record(
    {
      container: fc.constantFrom('x', 'y'),
      user: fc.option(fc.constantFrom('root', 'ci')),
      socket: fc.option(fc.constantFrom('/a', '/b')),
      grace_ms: fc.option(fc.constantFrom(1000, '2s')),
    },
    { requiredKeys: ['container'] },
  ),
);
const targets = fc.dictionary(fc.constantFrom('a', 'b', 'c.d'), entry, { maxKeys: 3 }) as fc.Arbitrary<Targets>;
const runs = { numRuns: proofSize({ small: 100, full: 3000 }) };

test('two adjacent layers merged into one give the same as both', () => {
  fc.assert(
    fc.property(targets, targets, targets, (weak, middle, strong) => {
      // A single file cannot express “remove it, then add it”.
      fc.pre(!addsAgain(weak, middle) && !addsAgain(middle, strong));
      const all = resolve([weak, middle, strong]);
      expect(resolve([merged(weak, middle), strong])).toEqual(all);
      expect(resolve([weak, merged(middle, strong)])).toEqual(all);
    }),
    runs,
  );
});

test('every value of every entry has one origin: the highest layer that sets it', () => {
  fc.assert(
    fc.property(fc.array(targets, { minLength: 1, maxLength: 4 }), (layers) => {
      const read = layers.map(layerOf);
      const { container } = (resolveConfig(configFields, read) as Config).targets;
      const origins = [...resolveOrigins(configFields, read).values()].filter((one) =>
        /^targets\.container\./.test(one.path),
      );
      const values = Object.entries(container).flatMap(([name, values]) => {
        return Object.entries(values).map(([key, value]) => ({ name, key, value }));
      });
      const containerOrigins = origins
        .map(({ path, value, source }) => ({ parts: splitPath(path), value, source }))
        .filter(({ parts, value }) => parts.length === 4 && value !== null);
      expect(containerOrigins.map(({ parts, value }) => ({ name: parts[2], key: parts[3], value }))).toEqual(
        expect.arrayContaining(values),
      );
      expect(containerOrigins).toHaveLength(values.length);
      for (const { parts, source } of containerOrigins)
        expect([parts, source.name]).toEqual([parts, setter(layers, parts)]);
      const removed = origins.filter(({ path }) => splitPath(path).length === 3).map(({ path }) => splitPath(path)[2]);
      const mentioned = new Set(layers.flatMap((layer) => Object.keys(layer)));
      expect([...Object.keys(container), ...removed].sort()).toEqual([...mentioned].sort());
    }),
    runs,
  );
});

/** The name of the highest layer that sets this value after the entry was last removed. */
function setter(layers: readonly Targets[], [, , name, key]: string[]): string {
  let found = 'default';
  for (const [index, layer] of layers.entries()) {
    const said = layer[name!];
    if (said === null) found = 'default';
    else if (said !== undefined && key! in said) found = `layer ${index}`;
  }
  return found;
}

function layerOf(container: Targets, index: number) {
  const problems: never[] = [];
  const layer = readLayer(
    locate({ targets: { container } }, { kind: 'session', name: `layer ${index}` }),
    configFields,
    problems,
  );
  expect(problems).toEqual([]);
  return layer;
}

function resolve(layers: readonly Targets[]): unknown {
  return (resolveConfig(configFields, layers.map(layerOf)) as Config).targets.container;
}

function merged(weak: Targets, strong: Targets): Targets {
  const result = { ...weak };
  for (const [name, said] of Object.entries(strong)) {
    result[name] = said === null ? null : { ...result[name], ...said };
  }
  return result;
}

function addsAgain(weak: Targets, strong: Targets): boolean {
  return Object.keys(weak).some((name) => weak[name] === null && (strong[name] ?? null) !== null);
}
