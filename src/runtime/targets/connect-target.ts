import type { Config } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { Wire } from '../client/link.ts';
import { openContainerMachine } from './container-machine.ts';
import { copyProgram } from './copy-program.ts';
import type { Machine, RemoteProcess } from './machine.ts';
import { openSshMachine } from './ssh-machine.ts';

export interface ConnectOptions {
  targets: Config['targets'];
  environment: NodeJS.ProcessEnv;
}

interface TargetSettings {
  program: string;
  workspace: string;
  grace_ms: number;
}

type Ended = Awaited<RemoteProcess['ended']>;

/** What a shell says of a program that is not there, and so does this script. */
const MISSING = 127;
const SERVE = 'command -v -- "$1" > /dev/null || exit 127; exec "$1" runtime --stdio --keep --workspace "$2"';

/** The runtime on the other side is this program again: its streams lead to the daemon of the workspace there. */
export async function connectTarget(target: string, options: ConnectOptions): Promise<Wire> {
  const { program, workspace } = settingsOf(target, options.targets);
  const machine = await openMachine(target, options);
  try {
    const start = (tacho: string) => machine.start(['sh', '-c', SERVE, 'sh', tacho, workspace]);
    let bridge = await start(program);
    let refusal = await greet(bridge);
    if (refusal?.exitCode === MISSING) {
      bridge = await start(await copyProgram(machine, options.targets.single_file));
      refusal = await greet(bridge);
    }
    if (refusal) throw notServed(target, refusal);
    return { input: bridge.stdout, output: bridge.stdin, close: () => machine.close() };
  } catch (error) {
    machine.close();
    throw error;
  }
}

export function settingsOf(target: string, targets: Config['targets']): TargetSettings {
  const [kind, name] = target.split(':') as ['ssh' | 'container', string];
  const known = targets[kind];
  if (Object.hasOwn(known, name)) return known[name]!;
  const names = [
    ...Object.keys(targets.ssh).map((one) => `ssh:${one}`),
    ...Object.keys(targets.container).map((one) => `container:${one}`),
  ];
  throw new TachoError('INVALID_PARAMS', `there is no target ${target}`, {
    facts: { target, targets: ['host', ...names] },
    fix: `Name it in the configuration, below targets.${kind}.`,
  });
}

async function openMachine(target: string, { targets, environment }: ConnectOptions): Promise<Machine> {
  const [kind, name] = target.split(':') as ['ssh' | 'container', string];
  return kind === 'ssh'
    ? await openSshMachine({ settings: targets.ssh[name]!, environment })
    : await openContainerMachine(targets.container[name]!);
}

/** Waits for the first answer; how the program ended when there is none. */
async function greet({ stdin, stdout, ended }: RemoteProcess): Promise<Ended | null> {
  stdin.on('error', () => {}); // That nobody listens any more is told by the answers that do not come.
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'system.ping' })}\n`);
  const answers = await new Promise<boolean>((resolve) => {
    stdout.once('readable', () => resolve(stdout.readableLength > 0));
    stdout.once('close', () => resolve(false));
    stdout.once('error', () => resolve(false));
  });
  return answers ? null : await ended;
}

function notServed(target: string, { exitCode, stderr }: Ended): TachoError {
  if (exitCode === null) return new TachoError('SERVER_UNREACHABLE', `the connection to ${target} was lost`);
  const words = stderr || `exit code ${exitCode}`;
  return new TachoError('COMMAND_UNAVAILABLE', `tacho does not serve on ${target}: ${words}`, {
    facts: { target, exit_code: exitCode },
  });
}
