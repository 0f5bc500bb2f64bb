#!/usr/bin/env node
// The sign-in of an engine, scripted: asks for a code and keeps it in the home. Otherwise prints codex events.
//   sign-in.mjs login            asks on the terminal
//   sign-in.mjs login --with-key reads the key from standard input
//   sign-in.mjs login --fail     ends with exit code 3
//   sign-in.mjs login --nothing  leaves nothing
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline/promises';

const [word, option] = process.argv.slice(2);
if (word === 'login') await signIn();
else work();

async function signIn() {
  if (option === '--fail') process.exit(3);
  if (option === '--nothing') return;
  const isAsked = option !== '--with-key';
  if (isAsked && !process.stdin.isTTY) throw new Error('no terminal');
  const terminal = readline.createInterface({ input: process.stdin, output: isAsked ? process.stdout : undefined });
  const key = await terminal.question(isAsked ? 'Paste the code: ' : '');
  terminal.close();
  const file = path.join(process.env.HOME, '.signed/auth.json');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify({ key, mine: process.env.MY_SECRET_KEY ?? null }), { mode: 0o600 });
}

function work() {
  const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
  print({ type: 'thread.started', thread_id: '0197aaaa-0000-7000-8000-000000000005' });
  print({ type: 'turn.started' });
  print({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'signed in' } });
  print({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });
}
