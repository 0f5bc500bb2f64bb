import { type Duplex, Readable } from 'node:stream';
import type { Container, Exec } from 'dockerode';
import type { ContainerTarget } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { DockerFrames } from './docker-frames.ts';
import type { Machine, RemoteProcess } from './machine.ts';

const STDERR_TAIL = 4000;

/** A running container, through the Docker API, which Podman also provides. */
export async function openContainerMachine(settings: ContainerTarget): Promise<Machine> {
  const { default: Docker } = await import('dockerode');
  const container = new Docker({ socketPath: settings.socket }).getContainer(settings.container);
  const streams = new Set<Duplex>();
  await requireRunning(container, settings);
  return {
    start: async (argv) => {
      const { process, stream } = await start(container, settings, argv);
      streams.add(stream);
      stream.once('close', () => streams.delete(stream));
      return process;
    },
    close: () => {
      for (const stream of streams) stream.destroy();
    },
  };
}

async function requireRunning(container: Container, settings: ContainerTarget): Promise<void> {
  const { State } = await container.inspect().catch((cause) => {
    throw refusal(settings, cause);
  });
  if (State.Running) return;
  throw new TachoError('SERVER_UNREACHABLE', `the container ${settings.container} does not run`, {
    facts: { container: settings.container, status: State.Status },
    fix: `Start it: docker start ${settings.container}, or podman start ${settings.container}`,
  });
}

async function start(
  container: Container,
  settings: ContainerTarget,
  argv: readonly string[],
): Promise<{ process: RemoteProcess; stream: Duplex }> {
  try {
    const exec = await container.exec({
      Cmd: [...argv],
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      ...(settings.user !== undefined && { User: settings.user }),
    });
    const stream = await exec.start({ hijack: true, stdin: true });
    stream.on('error', () => {}); // The end of the stream reports it.
    return { process: processOf(exec, stream), stream };
  } catch (cause) {
    throw refusal(settings, cause);
  }
}

function processOf(exec: Exec, stream: Duplex): RemoteProcess {
  let stderr = '';
  let over!: () => void;
  const drained = new Promise<void>((resolve) => {
    over = resolve;
  });
  /** Reads more only after the output was consumed: backpressure for the other side. */
  async function* output(): AsyncGenerator<Buffer> {
    const frames = new DockerFrames();
    try {
      for await (const bytes of stream) {
        for (const frame of frames.push(bytes as Buffer)) {
          if (frame.stream === 'stdout') yield frame.bytes;
          else stderr = (stderr + frame.bytes.toString()).slice(-STDERR_TAIL);
        }
      }
    } finally {
      over();
    }
  }
  const ended = drained.then(async () => {
    const { ExitCode } = await exec.inspect().catch(() => ({ ExitCode: null }));
    return { exitCode: ExitCode, stderr: stderr.trim() };
  });
  return { stdin: stream, stdout: Readable.from(output(), { objectMode: false }), ended };
}

function refusal({ container, socket }: ContainerTarget, cause: unknown): TachoError {
  const { statusCode, message } = cause as Error & { statusCode?: number };
  const facts = { container, socket };
  if (statusCode === 404) {
    return new TachoError('NOT_FOUND', `there is no container ${container}`, {
      facts,
      fix: 'Correct container and socket of the target: root and other users have containers of their own.',
      cause,
    });
  }
  return new TachoError('SERVER_UNREACHABLE', `the container ${container} cannot be reached: ${message}`, {
    facts,
    cause,
    fix: `Check that the container engine listens on ${socket}. For Podman: podman system service`,
  });
}
