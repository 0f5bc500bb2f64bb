// Prints codex events with content that a page must not execute: markup, links, control characters, a long line.
const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const say = (id, text) => print({ type: 'item.completed', item: { id, type: 'agent_message', text } });
print({ type: 'thread.started', thread_id: '0197aaaa-0000-7000-8000-000000000005' });
print({ type: 'turn.started' });
say(
  'markup',
  '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"><iframe src="https://example.com"></iframe>',
);
say(
  'links',
  '[click](javascript:window.hacked=3) ![picture](https://example.com/pixel.png) [kind](https://example.com/kind)',
);
say(
  'signs',
  `right-to-left \u202Etxt.exe\u202C, nothing \u200B here, NUL \u0000, bell \u0007, escape \u001B[31mred\u001B[0m`,
);
say('long', `begin ${'x'.repeat(1_000_000)} end`);
print({
  type: 'item.completed',
  item: {
    id: 'tool',
    type: 'command_execution',
    command: 'cat "<b>evil</b>"',
    aggregated_output: '\u001B]8;;https://example.com\u0007link\u001B]8;;\u0007 <script>window.hacked = 4</script>',
    exit_code: 0,
    status: 'completed',
  },
});
process.stderr.write(
  '\u001B[2147483647L\u001B[2147483647S\u001B[2147483647X\u001B]0;title\u0007\u001B]52;c;aGFja2Vk\u0007\u001B[2J\u001B[?1049h\u001B]8;;javascript:alert(1)\u0007x\u001B]8;;\u0007\u0000\n',
);
print({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });
