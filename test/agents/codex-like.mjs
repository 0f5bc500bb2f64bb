// Prints codex events as CODEX_LIKE or the prompt says; for behaviour that is rare in the real codex.
//   CODEX_LIKE=long      one message of CODEX_LIKE_BYTES bytes on one line
//   CODEX_LIKE=words     prints its own arguments
//   CODEX_LIKE=slow      one message every 20 ms, 50 of them
const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const say = (id, text) => print({ type: 'item.completed', item: { id: `item_${id}`, type: 'agent_message', text } });
const usage = { input_tokens: 1, output_tokens: 1 };

print({ type: 'thread.started', thread_id: '0197aaaa-0000-7000-8000-000000000001' });
print({ type: 'turn.started' });
switch (process.env.CODEX_LIKE) {
  case 'long': {
    const bytes = Number(process.env.CODEX_LIKE_BYTES);
    process.stdout.write('{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"');
    const piece = 'x'.repeat(1024 * 1024);
    const write = (left) => {
      if (left <= 0) {
        process.stdout.write('"}}\n', () => {
          say(1, 'after the long line');
          print({ type: 'turn.completed', usage });
        });
        return;
      }
      process.stdout.write(piece.slice(0, Math.min(left, piece.length)), () => write(left - piece.length));
    };
    write(bytes);
    break;
  }
  case 'slow': {
    let said = 0;
    const timer = setInterval(() => {
      say(said, `message ${said} at ${Date.now()}`);
      if (++said < 50) return;
      clearInterval(timer);
      print({ type: 'turn.completed', usage });
    }, 20);
    break;
  }
  default:
    say(0, JSON.stringify(process.argv.slice(2)));
    print({ type: 'turn.completed', usage });
}
