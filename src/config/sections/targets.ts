import * as z from 'zod';
import { duration, integer, text } from '../field.ts';

/** A target's name is part of the ids of its sessions. */
const name = z.string().regex(/^[A-Za-z0-9][\w.-]{0,62}$/, 'a name has letters, digits, dots, dashes and underscores');
const word = (description: string, accepts: string) => text(description, { pattern: /^[^\0\n]+$/, accepts });

const MAX_MS = 24 * 24 * 3_600_000;

/** Settings of both kinds: the path of tacho on the target, and the workspace it serves there. */
const common = {
  program: word('The program tacho there.', 'the path of tacho, or its name on PATH').default('tacho'),
  workspace: word('The folder that sessions there work in.', 'the path of a folder').default('.'),
  grace_ms: duration('How long an unused session there is kept, for example after a lost connection.', {
    min: 1000,
    max: MAX_MS,
  }).default(3_600_000),
};

export const sshTargetsSchema = z.record(
  name,
  z.strictObject({
    host: text('Host name or address of the machine.', {
      pattern: /^[A-Za-z0-9._:-]+$/,
      accepts: 'a host name or an address',
    }),
    port: integer('Port of its ssh server.', { min: 1, max: 65_535 }).default(22),
    user: word('User to log in as.', 'the name of a user there'),
    host_key: text('Key of the host, as ssh-keyscan prints it without the name; any other key is refused.', {
      pattern: /^[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,2}$/,
      accepts: 'a type and a key: ssh-ed25519 AAAA…',
    }),
    key_file: word(
      'Private key to log in with; without it, the agent of SSH_AUTH_SOCK is used.',
      'the path of a private key',
    ).optional(),
    ...common,
  }),
);

export const containerTargetsSchema = z.record(
  name,
  z.strictObject({
    socket: word('Socket of Docker or Podman.', 'the path of a socket').default('/var/run/docker.sock'),
    container: word('The container, which must be running.', 'the name or id of a container that runs'),
    user: word('User to run as there.', 'the name or number of a user there').optional(),
    ...common,
  }),
);

export type SshTarget = z.output<typeof sshTargetsSchema>[string];
export type ContainerTarget = z.output<typeof containerTargetsSchema>[string];
