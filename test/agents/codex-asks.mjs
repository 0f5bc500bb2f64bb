// Prints codex events: a question in the first turn; when resumed, the answer and the done marker.
const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const words = process.argv.slice(2);
const resumed = words[1] === 'resume';
const text = resumed ? `You said ${words.at(-1)}.\n\n\`\`\`json\n{"__SKILL_DONE__": true}\n\`\`\`` : 'Which colour?';
print({ type: 'thread.started', thread_id: '0197aaaa-0000-7000-8000-000000000002' });
print({ type: 'turn.started' });
print({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } });
print({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });
