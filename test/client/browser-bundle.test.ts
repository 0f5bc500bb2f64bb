import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../support/tacho.ts';

/** A built file with all files that it loads. */
function bundleOf(name: string, seen = new Map<string, string>()): Map<string, string> {
  if (seen.has(name)) return seen;
  const code = fs.readFileSync(path.join(projectRoot, 'dist', name), 'utf8');
  seen.set(name, code);
  for (const [, other] of code.matchAll(/(?:from|import)\s*\(?\s*"\.\/([\w.-]+\.js)"/g)) bundleOf(other!, seen);
  return seen;
}

test.each(['client.js', 'protocol.js'])('%s loads no module that a browser lacks', (entry) => {
  for (const [name, code] of bundleOf(entry)) {
    const loaded = [...code.matchAll(/^(?:import|export)\b[^;]*?from\s*["']([^"']+)["']|^import\s*["']([^"']+)["']/gm)];
    expect(
      loaded.map(([, from, bare]) => from ?? bare!).filter((module) => !module.startsWith('./')),
      name,
    ).toEqual([]);
    expect(code, name).not.toMatch(/["']node:|createRequire/);
  }
});
