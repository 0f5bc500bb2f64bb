import type { TracedStream } from '../../../src/recording/trace/traced-stream.ts';

/** A write of the simulated kernel, in order. */
interface KernelWrite {
  pid: number;
  stream: TracedStream;
  byte_from: number;
  byte_to: number;
}

/** A line of the tracer, and how much of each stream had been written by then. */
interface Step {
  line: string;
  written: Record<TracedStream, number>;
}

export interface Simulation {
  steps: Step[];
  writes: KernelWrite[];
  content: Record<TracedStream, Buffer>;
}

export const DEVICES: Record<TracedStream, string> = { stdout: '/dev/pts/3', stderr: '/dev/pts/4' };

interface Pending {
  stream: TracedStream;
  text: string;
  isWritten: boolean;
  lineAt: number;
}

/**
 * Runs processes that write lines to two terminals, interleaved by `choices`, and prints the output of strace: the
 * start and the end of each write in the order the tracer sees them, in one line if nothing came between.
 */
export function simulate(
  choices: number[],
  { sampleBytes, texts }: { sampleBytes: number; texts: string[] },
): Simulation {
  const pending = new Map<number, Pending>();
  const content: Record<TracedStream, string> = { stdout: '', stderr: '' };
  const steps: Step[] = [];
  const writes: KernelWrite[] = [];
  let made = 0;

  const print = (line: string) =>
    steps.push({ line, written: { stdout: content.stdout.length, stderr: content.stderr.length } });

  function advance(pid: number, choice: number): void {
    const write = pending.get(pid);
    if (!write) {
      const stream = choice % 3 === 0 ? 'stderr' : 'stdout';
      const text = `${texts[made % texts.length]}${made++}${'.'.repeat(choice % 23)}\n`;
      print(`${pid} 1700000000.5 write(1<${DEVICES[stream]}<char 136:3>>, ${quote(text, sampleBytes)}, ${text.length}`);
      pending.set(pid, { stream, text, isWritten: false, lineAt: steps.length - 1 });
    } else if (!write.isWritten) {
      write.isWritten = true;
      const byte_from = content[write.stream].length;
      content[write.stream] += write.text;
      writes.push({ pid, stream: write.stream, byte_from, byte_to: content[write.stream].length });
    } else {
      pending.delete(pid);
      const start = steps[write.lineAt] as Step;
      const end = `) = ${write.text.length}`;
      if (write.lineAt === steps.length - 1) {
        steps.pop();
        print(start.line + end);
      } else {
        start.line += ' <unfinished ...>';
        print(`${pid} 1700000000.6 <... write resumed>${end}`);
      }
    }
  }
  for (const choice of choices) advance(100 + (choice % 5), choice >> 3);
  for (const pid of [...pending.keys()]) while (pending.has(pid)) advance(pid, 0);
  return {
    steps,
    writes,
    content: { stdout: Buffer.from(content.stdout), stderr: Buffer.from(content.stderr) },
  };
}

function quote(text: string, sampleBytes: number): string {
  const shown = text.slice(0, sampleBytes).replaceAll('\n', '\\n');
  return `"${shown}"${text.length > sampleBytes ? '...' : ''}`;
}
