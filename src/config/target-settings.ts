import * as z from 'zod';
import { duration } from './field.ts';

/** A target's name is part of the ids of its sessions. */
const name = z.string().regex(/^[A-Za-z0-9][\w.-]{0,62}$/, 'a name has letters, digits, dots, dashes and underscores');
const word = (what: string) =>
  z
    .string()
    .min(1, what)
    .regex(/^[^\0\n]*$/, what);

const LONGEST_MS = 24 * 24 * 3_600_000;

/** What both kinds have: where the program is on the other side, and what it serves there. */
const common = {
  program: word('the path of tacho, or its name on PATH').default('tacho'),
  workspace: word('the path of a folder').default('.'),
  grace_ms: duration('How long an unused session there is kept, for example after a lost connection.', {
    min: 1000,
    max: LONGEST_MS,
  }).default(3_600_000),
};

export const sshTargetsSchema = z.record(
  name,
  z.strictObject({
    host: z.string().regex(/^[A-Za-z0-9._:-]+$/, 'a host name or an address'),
    port: z.int().min(1).max(65_535).default(22),
    user: word('the name of a user there'),
    /** As `ssh-keyscan` prints it, without the name of the host. Another key is refused. */
    host_key: z.string().regex(/^[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,2}$/, 'a type and a key: ssh-ed25519 AAAA…'),
    /** Without it, the agent of SSH_AUTH_SOCK has the key. */
    key_file: word('the path of a private key').optional(),
    ...common,
  }),
);

export const containerTargetsSchema = z.record(
  name,
  z.strictObject({
    socket: word('the path of the socket of Docker or Podman').default('/var/run/docker.sock'),
    container: word('the name or id of a container that runs'),
    user: word('the name or number of a user there').optional(),
    ...common,
  }),
);

export type SshTarget = z.output<typeof sshTargetsSchema>[string];
export type ContainerTarget = z.output<typeof containerTargetsSchema>[string];
