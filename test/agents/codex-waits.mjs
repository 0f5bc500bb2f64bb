// An agent with a skill: writes what it finds to the file in CODEX_SEEN, then waits until the file in CODEX_GO exists.
import fs from 'node:fs';
import path from 'node:path';

const prompt = process.argv.at(-1);
const [file] = /\/\S+SKILL\.md/.exec(prompt) ?? [''];
const home = path.join(process.env.HOME, '.agents/skills');
const seen = { text: fs.readFileSync(file, 'utf8'), inHome: fs.readdirSync(home), sees: fs.realpathSync(home) };
fs.writeFileSync(`${process.env.CODEX_SEEN}.part`, JSON.stringify(seen));
fs.renameSync(`${process.env.CODEX_SEEN}.part`, process.env.CODEX_SEEN);
const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
print({ type: 'thread.started', thread_id: '0197aaaa-0000-7000-8000-000000000001' });
print({ type: 'turn.started' });
const timer = setInterval(() => {
  if (!fs.existsSync(process.env.CODEX_GO)) return;
  clearInterval(timer);
  const text = '{"done": 1, "__SKILL_DONE__": true}';
  print({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } });
  print({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });
}, 20);
