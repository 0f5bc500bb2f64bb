import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Client, ClientChannel, ConnectConfig, ServerHostKeyAlgorithm } from 'ssh2';
import type { SshTarget } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { type Machine, type RemoteProcess, readTail } from './machine.ts';

const READY_MS = 20_000;
/** A connection without an answer to three of these is lost. */
const KEEPALIVE_MS = 10_000;

export interface SshOptions {
  settings: SshTarget;
  environment: NodeJS.ProcessEnv;
}

/** Logs in; rejects a machine whose key differs from the configured one. */
export async function openSshMachine({ settings, environment }: SshOptions): Promise<Machine> {
  const { default: ssh2 } = await import('ssh2');
  const client = new ssh2.Client();
  await logIn(client, settings, await authentication(settings, environment));
  client.on('error', () => {}); // The end of the streams reports it.
  return { start: (argv) => start(client, argv), close: () => client.destroy() };
}

function logIn(client: Client, settings: SshTarget, how: Partial<ConnectConfig>): Promise<void> {
  const { host, port, user, host_key } = settings;
  const [type, key] = host_key.split(' ') as [string, string];
  let foreign = false;
  return new Promise((resolve, reject) => {
    client.once('ready', resolve);
    client.once('error', (cause: Error & { level?: string }) => {
      client.destroy();
      reject(refusal(settings, foreign ? 'host-key' : cause.level, cause));
    });
    client.once('close', () => reject(refusal(settings, 'closed', null)));
    const connection: ConnectConfig = {
      host,
      port,
      username: user,
      readyTimeout: READY_MS,
      keepaliveInterval: KEEPALIVE_MS,
      algorithms: { serverHostKey: hostKeyAlgorithms(type) },
      hostVerifier: (shown: Buffer) => {
        foreign = !shown.equals(Buffer.from(key, 'base64'));
        return !foreign;
      },
      ...how,
    };
    try {
      client.connect(connection);
      // Calls are small and awaited one by one: without this, Nagle's algorithm delays each by 40 ms.
      client.setNoDelay(true);
    } catch (cause) {
      reject(refusal(settings, undefined, cause as Error)); // The key file holds no key, or an encrypted one.
    }
  });
}

/** A machine may have several keys; ask for the one that is configured. */
function hostKeyAlgorithms(type: string): ServerHostKeyAlgorithm[] {
  return type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type as ServerHostKeyAlgorithm];
}

async function authentication(settings: SshTarget, environment: NodeJS.ProcessEnv): Promise<Partial<ConnectConfig>> {
  const { key_file } = settings;
  if (key_file !== undefined) {
    const file = key_file.startsWith('~/') ? path.join(environment.HOME ?? os.homedir(), key_file.slice(2)) : key_file;
    const privateKey = await fs.readFile(file).catch((cause: Error) => {
      throw new TachoError('AUTH_FAILED', `the key file of ${settings.host} cannot be read: ${cause.message}`, {
        fix: 'Correct key_file of the target.',
        cause,
      });
    });
    return { privateKey };
  }
  if (environment.SSH_AUTH_SOCK) return { agent: environment.SSH_AUTH_SOCK };
  throw new TachoError('AUTH_FAILED', `there is no key for ${settings.host}`, {
    fix: 'Set key_file of the target, or start an ssh-agent that has the key.',
  });
}

function refusal({ host, port, user }: SshTarget, level: string | undefined, cause: Error | null): TachoError {
  const facts = { host, port, user };
  if (level === 'host-key') {
    return new TachoError('AUTH_FAILED', `${host} has another host key than the settings say`, {
      facts,
      fix: 'Another machine may be answering. If the machine was reinstalled, set host_key to its new key.',
    });
  }
  if (level === 'client-authentication') {
    return new TachoError('AUTH_FAILED', `${host} does not let ${user} in with this key`, {
      facts,
      fix: `Put its public key into .ssh/authorized_keys of ${user} there, or name another key_file.`,
      cause,
    });
  }
  const because = cause ? `: ${cause.message}` : '';
  // Retrying does not help with an unusable key or without a common algorithm.
  const lasting = cause !== null && (level === 'handshake' || level === undefined);
  return new TachoError(lasting ? 'AUTH_FAILED' : 'SERVER_UNREACHABLE', `no ssh connection to ${host}${because}`, {
    facts,
    fix: lasting
      ? 'Check key_file and host_key of the target; a key with a passphrase is for an ssh-agent.'
      : `Check host and port of the target, and that sshd listens there: ssh -p ${port} ${user}@${host} true`,
    cause,
  });
}

async function start(client: Client, argv: readonly string[]): Promise<RemoteProcess> {
  const channel = await new Promise<ClientChannel>((resolve, reject) => {
    const lost = () => reject(new TachoError('SERVER_UNREACHABLE', 'the ssh connection was lost'));
    client.once('close', lost);
    client.exec(argv.map(quote).join(' '), (cause, opened) => {
      client.off('close', lost);
      if (cause)
        reject(new TachoError('SERVER_UNREACHABLE', `nothing can be started by ssh: ${cause.message}`, { cause }));
      else resolve(opened);
    });
  });
  channel.on('error', () => {}); // The end of the channel reports it.
  const words = readTail(channel.stderr);
  const exited = new Promise<number | null>((resolve) => {
    channel.once('exit', (code: number | null) => resolve(code));
    channel.once('close', () => resolve(null));
  });
  const ended = Promise.all([exited, words]).then(([exitCode, stderr]) => ({ exitCode, stderr }));
  return { stdin: channel, stdout: channel, ended };
}

/** The shell on the other side splits the command line. */
function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
