import type { Config } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { Wire } from '../client/link.ts';
import { openContainerMachine } from './container-machine.ts';
import { copyProgram, knownCopy, nameCopy, type ProgramCopy } from './copy-program.ts';
import type { Machine, RemoteProcess } from './machine.ts';
import { NOTHING_TO_SERVE_WITH, SERVE } from './remote-scripts.ts';
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

/** A daemon that has to be started responds within a few seconds. */
const FIRST_RESPONSE_TIMEOUT_MS = 30_000;

/** The other side runs this program too: its streams lead to the daemon of the workspace there. */
export async function connectTarget(target: string, options: ConnectOptions): Promise<Wire> {
  const { program, workspace } = settingsOf(target, options.targets);
  const { single_file } = options.targets;
  const machine = await openMachine(target, options);
  const serve = async (copy: ProgramCopy | null): Promise<RemoteProcess | Ended> => {
    const { name, bytes } = copy ?? { name: '', bytes: 0 };
    const bridge = await machine.start(['sh', '-c', SERVE, 'sh', program, workspace, name, String(bytes)]);
    return (await awaitFirstResponse(bridge)) ?? bridge;
  };
  try {
    let copy = knownCopy(single_file);
    let served = await serve(copy);
    if (isMissing(served) && !copy) {
      copy = await nameCopy(single_file);
      served = await serve(copy);
    }
    if (isMissing(served)) {
      await copyProgram(machine, copy!);
      served = await serve(copy);
    }
    if (!('stdin' in served)) throw notServed(target, served);
    return { input: served.stdout, output: served.stdin, close: () => machine.close() };
  } catch (error) {
    machine.close();
    throw error;
  }
}

function isMissing(served: RemoteProcess | Ended): boolean {
  return 'exitCode' in served && served.exitCode === NOTHING_TO_SERVE_WITH;
}

/** `ignored` lists settings of the workspace that have no effect, for the error message. */
export function settingsOf(target: string, targets: Config['targets'], ignored: string | null = null): TargetSettings {
  const [kind, name] = target.split(':') as ['ssh' | 'container', string];
  const known = targets[kind];
  if (Object.hasOwn(known, name)) return known[name]!;
  const names = [
    ...Object.keys(targets.ssh).map((one) => `ssh:${one}`),
    ...Object.keys(targets.container).map((one) => `container:${one}`),
  ];
  throw new TachoError('INVALID_PARAMS', `there is no target ${target}`, {
    facts: { target, targets: ['host', ...names] },
    fix: ignored ?? `Name it in the configuration, below targets.${kind}.`,
  });
}

async function openMachine(target: string, { targets, environment }: ConnectOptions): Promise<Machine> {
  const [kind, name] = target.split(':') as ['ssh' | 'container', string];
  return kind === 'ssh'
    ? await openSshMachine({ settings: targets.ssh[name]!, environment })
    : await openContainerMachine(targets.container[name]!);
}

/** Waits for the first response; returns how the program ended if there is none. */
async function awaitFirstResponse({ stdin, stdout, ended }: RemoteProcess): Promise<Ended | null> {
  stdin.on('error', () => {}); // Missing responses report a closed stream.
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'system.ping' })}\n`);
  let timer!: NodeJS.Timeout;
  const answers = await new Promise<boolean>((resolve, reject) => {
    stdout.once('readable', () => resolve(stdout.readableLength > 0));
    stdout.once('close', () => resolve(false));
    stdout.once('error', () => resolve(false));
    timer = setTimeout(
      () => reject(new TachoError('SERVER_UNREACHABLE', 'tacho there does not answer')),
      FIRST_RESPONSE_TIMEOUT_MS,
    );
  }).finally(() => clearTimeout(timer));
  return answers ? null : await ended;
}

function notServed(target: string, { exitCode, stderr }: Ended): TachoError {
  if (exitCode === null) return new TachoError('SERVER_UNREACHABLE', `the connection to ${target} was lost`);
  const words = stderr || `exit code ${exitCode}`;
  return new TachoError('COMMAND_UNAVAILABLE', `tacho does not serve on ${target}: ${words}`, {
    facts: { target, exit_code: exitCode },
    fix: 'Check program and workspace of the target.',
  });
}
