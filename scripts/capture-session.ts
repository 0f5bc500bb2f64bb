import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const MAX_TEXT = 300;

/** Makes a fixture from a session file that an engine kept. Long texts are cut: most are the engine's own instructions. */
function captureSession(file: string, folder: string, replace: Readonly<Record<string, string>> = {}): void {
  const lines = fs.readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const kept = lines.map((line) => JSON.stringify(shortened(JSON.parse(line))));
  let text = `${kept.join('\n')}\n`;
  for (const [from, to] of Object.entries(replace)) text = text.replaceAll(from, to);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'session.jsonl'), text);
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)} …` : value;
  if (Array.isArray(value)) return value.slice(0, 20).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner)]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { engine: { type: 'string' }, name: { type: 'string' }, replace: { type: 'string', multiple: true } },
  });
  const [file] = positionals;
  if (!file || !values.engine || !values.name) {
    process.stderr.write('Usage: capture-session --engine <engine> --name <case> [--replace from=to]… <file>\n');
    process.exit(2);
  }
  const fixtures = fileURLToPath(new URL('../test/fixtures/', import.meta.url));
  const folder = path.join(fixtures, values.engine, `session-${values.name}`);
  captureSession(
    file,
    folder,
    Object.fromEntries((values.replace ?? []).map((pair) => pair.split('=') as [string, string])),
  );
  process.stdout.write(`${path.relative(process.cwd(), folder)}\n  Write expected-session.json by reading the file.\n`);
}
