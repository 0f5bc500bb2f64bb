// Prints codex events: --messages short messages as fast as possible, then the end.
const count = Number(process.argv.find((word) => word.startsWith('--messages='))?.slice('--messages='.length));
const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
print({ type: 'thread.started', thread_id: '0197aaaa-0000-7000-8000-000000000004' });
print({ type: 'turn.started' });
for (let number = 0; number < count; number++) {
  print({ type: 'item.completed', item: { id: `item_${number}`, type: 'agent_message', text: `message ${number}` } });
}
print({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });
