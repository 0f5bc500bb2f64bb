/** The output of a long session: mostly commands with their output, some text. */
export function codexLog(bytes: number): Buffer {
  const lines: string[] = [
    '{"type":"thread.started","thread_id":"01a1de1c-49e5-7622-93a5-880edf8ce10c"}\n{"type":"turn.started"}\n',
  ];
  let size = 0;
  for (let n = 0; size < bytes; n += 3) {
    const output = 'src/engines/codex/items.ts:12: const open = new Set<string>();\n'.repeat(3 + ((n * 37) % 250));
    const command = `/bin/bash -lc 'rg -n "open" src/engines | head -${n}'`;
    const text = `Step ${n}: the reader keeps calls that are open. `.repeat(2 + (n % 12));
    const item = (type: string, body: object) => ({ id: `item_${n}`, type, ...body });
    const shell = { command, aggregated_output: '', exit_code: null, status: 'in_progress' };
    const events = [
      { type: 'item.completed', item: item('reasoning', { text: `Thinking about part ${n}.` }) },
      { type: 'item.completed', item: item('agent_message', { text }) },
      { type: 'item.started', item: item('command_execution', shell) },
      {
        type: 'item.completed',
        item: item('command_execution', { ...shell, aggregated_output: output, exit_code: 0, status: 'completed' }),
      },
    ];
    const chunk = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    lines.push(chunk);
    size += chunk.length;
  }
  return Buffer.from(lines.join(''));
}
