import fs from 'node:fs';
import http from 'node:http';

/**
 * The minimum of an event stream server on node:http: the frames are in memory, and are written to all readers on a
 * start message. `piece` is the number of bytes per write, at least one frame.
 */
const [file, piece] = process.argv.slice(2) as [string, string];
const pieces = cut(fs.readFileSync(file), Number(piece));
const readers = new Set<http.ServerResponse>();

const server = http.createServer((request, response) => {
  if (request.url === '/begin') {
    response.end();
    void writeAll();
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
  response.flushHeaders();
  readers.add(response);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as { port: number }).port}\n`);
});

async function writeAll(): Promise<void> {
  await Promise.all(
    [...readers].map(async (response) => {
      for (const bytes of pieces) {
        if (!response.write(bytes)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end();
    }),
  );
}

function cut(bytes: Buffer, size: number): Buffer[] {
  const cuts: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf('\n\n', Math.min(from + size, bytes.length - 2));
    cuts.push(bytes.subarray(from, end + 2));
    from = end + 2;
  }
  return cuts;
}
