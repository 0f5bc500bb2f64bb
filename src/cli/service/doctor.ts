import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';
import { loadSealKey, probeStrace, readRunRecord } from '../../recording/index.ts';
import { ApprovalStore, announcedRuns, isLost, prepareDataHome, type RunContext } from '../../runs/index.ts';
import { probeBubblewrap } from '../../sandbox/index.ts';
import { findSetsid, probeLimits, Terminal } from '../../terminal/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { fitLine } from '../output/fit-line.ts';
import { formatBytes, printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { describeAvailableLimits } from '../terminal/mechanisms.ts';

interface Check {
  name: string;
  ok: boolean;
  /** tacho cannot record without it. */
  needed: boolean;
  detail: string;
  fix: string | null;
}

type Outcome = Pick<Check, 'ok' | 'detail'> & { fix?: string };

/** Every check performs the operation instead of looking for its prerequisites. */
export async function runDoctor(options: CommonOptions): Promise<number> {
  const context = openContext(options);
  const checks: Check[] = [];
  const check = async (name: string, needed: boolean, attempt: () => Outcome | Promise<Outcome>) => {
    const outcome = await Promise.resolve()
      .then(attempt)
      .catch((error: unknown): Outcome => {
        const fix = error instanceof TachoError ? error.fix : undefined;
        return { ok: false, detail: (error as Error).message, ...(fix ? { fix } : {}) };
      });
    checks.push({ name, needed, ...outcome, fix: outcome.fix ?? null });
  };
  await check('node', true, () => ({ ok: true, detail: `${process.version} on ${os.type()} ${os.release()}` }));
  await check('data folder', true, () => dataFolder(context));
  await check('split capture', true, () => tryTerminal('split'));
  await check('merged capture', true, () => tryTerminal('merged'));
  await check('orphaned processes', true, tryOrphan);
  await check('escaped processes', false, tryTag);
  await check('seal key', true, () => ({ ok: true, detail: `ed25519 ${loadSealKey(context.home.keys).id}` }));
  await check('trace mode', false, tryTrace);
  await check('sandbox', false, trySandbox);
  await check('session limits', false, tryLimits);
  await check('scriptreplay', false, () => tryProgram('scriptreplay', 'apt-get install bsdutils'));
  await check('asciinema', false, () => tryProgram('asciinema', 'apt-get install asciinema'));
  await check('lost runs', false, () => lostRuns(context));
  await check('approvals', false, () => unreadableApprovals(context));
  const failed = checks.some(({ ok, needed }) => needed && !ok);
  process.stdout.write(options.json ? `${JSON.stringify({ ok: !failed, checks })}\n` : describe(checks));
  return failed ? 1 : 0;
}

function describe(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, ok, needed, detail, fix }) => {
      const sign = ok ? paint.green('✔') : needed ? paint.red('✖') : paint.yellow('–');
      return [
        `${sign} ${name.padEnd(width)}  ${detail}`,
        ...(fix ? [`  ${' '.repeat(width)}  ${paint.dim(fix)}`] : []),
      ];
    })
    .map((line) => `${fitLine(line, process.stdout, width + 4)}\n`)
    .join('');
}

function dataFolder({ home, config }: RunContext): Outcome {
  prepareDataHome(home);
  const { bavail, bsize } = fs.statfsSync(home.root);
  const free = bavail * bsize;
  const detail = `${home.root}, ${formatBytes(free)} free`;
  if (free >= config.limits.disk_floor_bytes) return { ok: true, detail };
  return { ok: false, detail, fix: 'Free some space, or keep runs elsewhere with --data or TACHO_HOME.' };
}

async function tryTerminal(mode: 'split' | 'merged'): Promise<Outcome> {
  const output = { a: '', b: '' };
  const end = await startTerminal(
    mode,
    ['/bin/sh', '-c', 'test -t 0 && test -t 1 && test -t 2 && printf out && printf err >&2'],
    output,
  ).ended;
  const right = mode === 'split' ? output.a === 'out' && output.b === 'err' : output.a === 'outerr';
  if (end.exitCode === 0 && right)
    return {
      ok: true,
      detail: mode === 'split' ? 'stdout and stderr separately, byte for byte' : 'for interactive shells',
    };
  return {
    ok: false,
    detail: `exit ${end.exitCode}, got ${JSON.stringify(output)}`,
    fix: 'Check that /dev/pts is mounted and /bin/sh exists.',
  };
}

async function tryOrphan(): Promise<Outcome> {
  const script = '"$0" sleep 30 & exit 0';
  const { leftBehind } = await startTerminal('split', ['/bin/sh', '-c', script, findSetsid()], { a: '', b: '' }).ended;
  if (leftBehind === 1) return { ok: true, detail: 'a child that called setsid was found and ended' };
  return {
    ok: false,
    detail: `found ${leftBehind} processes instead of 1`,
    fix: 'Check that /proc is mounted and readable.',
  };
}

async function tryTag(): Promise<Outcome> {
  const script = 'env -i "$0" sleep 3 & exit 0';
  const { leftBehind } = await startTerminal('split', ['/bin/sh', '-c', script, findSetsid()], { a: '', b: '' }).ended;
  if (leftBehind === 1) return { ok: true, detail: 'a child that also cleared its environment was found and ended' };
  const fix = 'RLIMIT_LOCKS cannot be set here; use --sandbox for programs that must not stay.';
  return { ok: false, detail: 'a child that also cleared its environment is not found', fix };
}

function startTerminal(mode: 'split' | 'merged', argv: string[], output: { a: string; b: string }): Terminal {
  return Terminal.start({
    argv,
    cwd: os.tmpdir(),
    env: { PATH: `${process.env.PATH ?? ''}:/usr/bin:/bin` },
    mode,
    cols: 80,
    rows: 24,
    echo: false,
    marker: randomUUID(),
    lingerMs: 100,
    killGraceMs: 1000,
    onOutput: (side, bytes) => {
      output[side] += bytes.toString();
    },
  });
}

async function tryTrace(): Promise<Outcome> {
  const probe = await probeStrace();
  if (!probe.ok) return { ok: false, detail: probe.reason, fix: probe.fix };
  return {
    ok: true,
    detail: `strace ${probe.version}${probe.seccompBpf ? ' with seccomp-bpf' : ', without seccomp-bpf: slower'}`,
  };
}

async function trySandbox(): Promise<Outcome> {
  const probed = await probeBubblewrap('off');
  if ('why' in probed) return { ok: false, detail: probed.why, fix: 'Install bubblewrap, and allow user namespaces.' };
  if ('why' in probed.filter)
    return { ok: false, detail: `works, but cannot filter system calls: ${probed.filter.why}` };
  return { ok: true, detail: 'bubblewrap, with system calls filtered' };
}

async function tryLimits(): Promise<Outcome> {
  const outcome = describeAvailableLimits(await probeLimits());
  if (outcome.ok) return outcome;
  return { ...outcome, fix: 'Control groups need delegation: systemd-run --user --scope -p Delegate=yes tacho …' };
}

function tryProgram(name: string, fix: string): Outcome {
  const result = spawnSync(name, ['--version'], { encoding: 'utf8' });
  if (result.status === 0) return { ok: true, detail: result.stdout.trim().split('\n')[0]! };
  return { ok: false, detail: 'not installed', fix };
}

function lostRuns(context: RunContext): Outcome {
  const lost = announcedRuns(context.home).filter(({ folder }) => {
    try {
      return isLost(readRunRecord(folder), folder);
    } catch {
      return false; // `tacho runs` reports unreadable records.
    }
  });
  if (lost.length === 0) return { ok: true, detail: 'none' };
  return {
    ok: false,
    detail: lost.map(({ folder }) => path.basename(folder.runId)).join(', '),
    fix: 'Complete their records with: tacho recover',
  };
}

/** Programs may write to the folder; other readers skip files that are not approvals. */
function unreadableApprovals({ home }: RunContext): Outcome {
  const unreadable: string[] = [];
  const asked = new ApprovalStore(home, { onUnreadable: (_, file) => unreadable.push(file) }).list({});
  if (unreadable.length === 0)
    return { ok: true, detail: asked.length === 0 ? 'none' : `${asked.length}, all readable` };
  return {
    ok: false,
    detail: `not approvals: ${unreadable.map(printable).join(', ')}`,
    fix: 'They are skipped. Remove them unless you know what they are.',
  };
}
