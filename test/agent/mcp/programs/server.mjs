// A small MCP server over its streams, without the SDK, so that it can do everything that a server must not do.
//
//   node server.mjs '{"tools": "tools.json", …}'
//
//   tools        file with its tools, read again for each list
//   starts       file that gets the id of each process that it starts, itself included
//   calls        file that gets a line for each call and each cancellation
//   hang         a method that it does not answer
//   diesOnStart  exits before it answers
//   flood        what it sends instead of an answer to initialize
//   stubborn     ignores SIGTERM and the end of its input
//   announces    tells its client when the file with its tools has changed

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import readline from 'node:readline';

const options = JSON.parse(process.argv[2] ?? '{}');
note(options.starts, process.pid);
if (options.stubborn) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
}
if (options.diesOnStart) {
  process.stderr.write('cannot find the \u001b[31mdatabase\u001b[0m\n');
  process.exit(3);
}

const tools = () => (options.tools ? JSON.parse(fs.readFileSync(options.tools, 'utf8')) : []);
const answer = (id, result) => send({ jsonrpc: '2.0', id, result });
const reject = (id, code, message) => send({ jsonrpc: '2.0', id, error: { code, message } });
const text = (id, words, more = {}) => answer(id, { content: [{ type: 'text', text: words }], ...more });
let version = 0;

const handlers = {
  initialize: ({ id, params }) => {
    if (options.flood) return flood(options.flood);
    answer(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'small', version: '1' },
    });
  },
  'tools/list': ({ id }) => answer(id, { tools: tools() }),
  'tools/call': ({ id, params }) => {
    const { name, arguments: given = {} } = params;
    note(options.calls, `${name} ${JSON.stringify(given)}`);
    switch (given.do ?? name) {
      case 'die':
        process.stderr.write('out of luck\n');
        return process.exit(4);
      case 'hang':
        return note(options.calls, `hanging ${id}`);
      case 'flood':
        return flood(given.with);
      case 'reject':
        return reject(id, -32000, 'the \u001b[31mbackend\u001b[0m said no');
      case 'fail':
        return text(id, 'it did not work', { isError: true });
      case 'nonsense':
        return send({ jsonrpc: '2.0', id, result: { content: 'not a list' } });
      case 'write':
        fs.writeFileSync(given.path, given.text);
        return text(id, 'written');
      case 'become': {
        fs.writeFileSync(options.tools, JSON.stringify(given.tools));
        send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        return text(id, `changed ${++version}`);
      }
      case 'start': {
        const child = spawn(process.execPath, ['-e', STUBBORN], { stdio: 'ignore', detached: true });
        note(options.starts, child.pid);
        return text(id, `started ${child.pid}`);
      }
      default:
        return text(id, `${name}: ${JSON.stringify(given)}`);
    }
  },
};

const STUBBORN = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === options.hang) return;
  if (message.method === 'notifications/cancelled') note(options.calls, `cancelled ${message.params.requestId}`);
  if (message.id !== undefined) handlers[message.method]?.(message);
});

if (options.announces) {
  let known = JSON.stringify(tools());
  setInterval(() => {
    const now = JSON.stringify(tools());
    if (now === known) return;
    known = now;
    send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    note(options.calls, 'announced');
  }, 10).unref();
}

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function note(file, line) {
  if (file) fs.appendFileSync(file, `${line}\n`);
}

function flood(kind) {
  const piece = {
    notifications: `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } })}\n`,
    changes: `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n`,
    requests: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`,
    garbage: 'this is not a message\n',
    line: 'x',
    stderr: 'words words words\n',
  }[kind];
  const stream = kind === 'stderr' ? process.stderr : process.stdout;
  const block = piece.repeat(Math.ceil(65_536 / piece.length));
  // A gigabyte, as fast as it is read.
  let left = 2 ** 30;
  const more = () => {
    while (left > 0) {
      left -= block.length;
      if (!stream.write(block)) return;
    }
  };
  stream.on('drain', more);
  more();
}
