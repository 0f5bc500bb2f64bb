import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { straceArguments } from './strace-arguments.ts';
import { parseTraceLine } from './strace-line.ts';

/** A tracer that works here. */
export interface StraceFound {
  ok: true;
  /** Absolute, because the command's own PATH may not contain it. */
  path: string;
  version: string;
  seccompBpf: boolean;
}

export type StraceProbe = StraceFound | { ok: false; reason: string; fix: string };

const PROBE_DEADLINE_MS = 10_000;

/** Successes are cached; failures may have been fixed since. */
const found = new Map<string, StraceFound>();

/** Traces `true` as a run would be traced. Finding the file is not enough: the kernel may forbid tracing. */
export async function probeStrace(searchPath = process.env.PATH ?? ''): Promise<StraceProbe> {
  const known = found.get(searchPath);
  if (known) return known;
  const probe = probeOnce(searchPath);
  if (probe.ok) found.set(searchPath, probe);
  return probe;
}

function probeOnce(searchPath: string): StraceProbe {
  const strace = findProgram('strace', searchPath);
  const command = findProgram('true', `${searchPath}:/usr/bin:/bin`);
  if (!strace || !command) {
    return { ok: false, reason: 'strace is not installed.', fix: 'Install it, e.g. `apt-get install strace`.' };
  }
  const version = /version (\S+)/.exec(spawnSync(strace, ['-V'], { encoding: 'utf8' }).stdout ?? '')?.[1] ?? 'unknown';
  const withFilter = traceOnce(strace, command, true);
  if (withFilter.worked && !withFilter.complaint.includes('seccomp'))
    return { ok: true, path: strace, version, seccompBpf: true };
  const plain = traceOnce(strace, command, false);
  if (plain.worked) return { ok: true, path: strace, version, seccompBpf: false };
  return { ok: false, ...explain(plain.complaint, version) };
}

function findProgram(name: string, searchPath: string): string | null {
  for (const folder of searchPath.split(':')) {
    if (!path.isAbsolute(folder)) continue;
    const candidate = path.join(folder, name);
    try {
      fs.accessSync(candidate, fs.constants.X_OK);
      if (fs.statSync(candidate).isFile()) return candidate;
    } catch {} // Not here; try the next one.
  }
  return null;
}

/** Synchronous, so that nothing else can reap the processes started here. */
function traceOnce(strace: string, command: string, seccompBpf: boolean): { worked: boolean; complaint: string } {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'tacho-probe-'));
  try {
    const output = path.join(folder, 'trace.log');
    // The tracer keeps stderr open, so this returns after it has exited too.
    const result = spawnSync(strace, [...straceArguments({ output, isKept: false, seccompBpf }), command], {
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      timeout: PROBE_DEADLINE_MS,
      killSignal: 'SIGKILL',
    });
    const lines = fs.existsSync(output) ? fs.readFileSync(output, 'latin1').split('\n') : [];
    const seen = lines.map((line) => parseTraceLine(line));
    const worked =
      seen.some((line) => line.kind === 'call' && line.name === 'execve' && line.result.value === 0) &&
      seen.some((line) => line.kind === 'exit' && line.code === 0);
    return { worked, complaint: (result.stderr || result.error?.message || '').trim() };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function explain(complaint: string, version: string): { reason: string; fix: string } {
  const said = complaint.split('\n').at(-1) ?? '';
  if (/unrecognized option|invalid option|invalid system call/.test(complaint)) {
    return { reason: `strace ${version} is too old: ${said}`, fix: 'Install strace 5.9 or later.' };
  }
  if (isTraced()) {
    return {
      reason: `This process is itself being traced, and a process can have one tracer only: ${said}`,
      fix: 'Start tacho outside the debugger or tracer, or use another capture mode.',
    };
  }
  const scope = readFirstLine('/proc/sys/kernel/yama/ptrace_scope');
  const fix =
    Number(scope) >= 2
      ? `Set kernel.yama.ptrace_scope to 1 (it is ${scope}): \`sysctl kernel.yama.ptrace_scope=1\`.`
      : 'In a container, start it with `--cap-add=SYS_PTRACE`; elsewhere see kernel.yama.ptrace_scope and seccomp.';
  return { reason: `Tracing is not permitted here: ${said || 'the trace of a test program came out empty.'}`, fix };
}

function isTraced(): boolean {
  return /^TracerPid:\s+[1-9]/m.test(fs.readFileSync('/proc/self/status', 'latin1'));
}

function readFirstLine(file: string): string | null {
  try {
    return fs.readFileSync(file, 'latin1').trim();
  } catch {
    return null;
  }
}
