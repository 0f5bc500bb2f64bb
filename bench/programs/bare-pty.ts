import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import tty from 'node:tty';
import { MarkerScanner } from '../../src/terminal/marker-scanner.ts';
import { openPty } from '../../src/terminal/pty.ts';

/**
 * A pseudo-terminal that is only drained, with the same modes as tacho's: the minimum cost of any recorder. Prints the
 * time from the spawn to the last byte read.
 */
const pty = openPty({ cols: 120, rows: 40, echo: false, outputProcessing: false });
const marker = Buffer.from(randomBytes(24).toString('base64url'));
let scanner: MarkerScanner | null = null;
let bytes = 0;

const onread = {
  buffer: Buffer.allocUnsafe(64 * 1024),
  callback(count: number, buffer: Uint8Array) {
    bytes += count;
    scanner?.push(Buffer.from(buffer.buffer, buffer.byteOffset, count));
    if (scanner?.found) finish();
    return true;
  },
};
const reader = new tty.ReadStream(pty.master, { onread } as ConstructorParameters<typeof tty.ReadStream>[1]);
reader.on('error', () => {});
reader.resume();

const started = performance.now();
const child = spawn('/bin/sh', ['-c', 'exec setsid -c -- "$@"', 'sh', ...process.argv.slice(2)], {
  stdio: [pty.programSlave, pty.programSlave, pty.programSlave],
});
child.once('exit', () => {
  scanner = new MarkerScanner(marker);
  fs.write(pty.slave, marker, () => {});
});

function finish(): void {
  process.stdout.write(JSON.stringify({ spanMs: performance.now() - started, bytes: bytes - marker.length }));
  reader.destroy();
  fs.closeSync(pty.slave);
  fs.closeSync(pty.programSlave);
}
