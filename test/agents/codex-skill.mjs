// Prints codex events with one message: JSON of what it finds as an agent with a skill.
//   prompt     its last argument
//   text       the SKILL.md that the prompt names
//   skills     the names of the skills beside it
import fs from 'node:fs';
import path from 'node:path';

const prompt = process.argv.at(-1);
const [file] = /\/\S+SKILL\.md/.exec(prompt) ?? [null];
const text = file && fs.readFileSync(file, 'utf8');
const skills = file && fs.readdirSync(path.join(file, '../..')).sort();
const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);

print({ type: 'thread.started', thread_id: '0197aaaa-0000-7000-8000-000000000001' });
print({ type: 'turn.started' });
const message = JSON.stringify({ prompt, file, text, skills, __SKILL_DONE__: true });
print({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: message } });
print({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });
