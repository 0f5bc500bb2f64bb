/** An agent with codex's output format: many messages and commands with long output. Arguments: events, total bytes. */
const [events, bytes] = process.argv.slice(2).map(Number) as [number, number];
const line = 'Compiling the 42nd of many modules, and telling at length how it went\n';

print({ type: 'thread.started', thread_id: '0197aaaa-0000-7000-8000-000000000003' });
print({ type: 'turn.started' });
// A command has two events, a message one.
const rounds = Math.floor(events / 3);
const output = line.repeat(Math.ceil(bytes / rounds / line.length));
for (let round = 0; round < rounds; round++) {
  const command = { id: `item_${round}c`, type: 'command_execution', command: `make module-${round}` };
  print({ type: 'item.started', item: { ...command, aggregated_output: '', exit_code: null, status: 'in_progress' } });
  print({
    type: 'item.completed',
    item: { ...command, aggregated_output: output, exit_code: 0, status: 'completed' },
  });
  const text = `Module **${round}** is built. Next comes \`module-${round + 1}\`.`;
  print({ type: 'item.completed', item: { id: `item_${round}m`, type: 'agent_message', text } });
}
print({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
