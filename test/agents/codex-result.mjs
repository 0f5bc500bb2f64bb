// Prints codex events with one message per turn. The input of the skill has the turns:
//   { "turns": [{ "say": "…", "artifacts": { "report.md": "…" }, "result": "…" }, …] }
// `artifacts` are put into the folder for artifacts, `result` into result.json there; `wait` names a file to wait for.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';

const words = process.argv.slice(2);
const prompt = words.at(-1);
const notes = '.turns.json';
const known = words[1] === 'resume' ? JSON.parse(fs.readFileSync(notes, 'utf8')) : begin();
const turn = known.turns[known.next] ?? { say: 'No further turn was expected.' };
fs.writeFileSync(notes, JSON.stringify({ ...known, next: known.next + 1, prompts: [...known.prompts, prompt] }));
if (turn.wait) while (!fs.existsSync(turn.wait)) await setTimeout(20);
for (const [name, text] of Object.entries(turn.artifacts ?? {})) write(name, text);
if (turn.result !== undefined) write('result.json', turn.result);

const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
print({ type: 'thread.started', thread_id: '0197aaaa-0000-7000-8000-000000000005' });
print({ type: 'turn.started' });
print({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: turn.say } });
print({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });

function begin() {
  const [, json] = /^Input \(JSON\):\n(\{$[\s\S]*?^\})/m.exec(prompt);
  const [file] = /\/\S+SKILL\.md/.exec(prompt);
  return { ...JSON.parse(json), artifacts: path.join(file, '../../../artifacts'), next: 0, prompts: [] };
}

function write(name, text) {
  const file = path.join(known.artifacts, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}
