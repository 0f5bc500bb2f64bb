import { type SessionKind, sessionKindSchema } from '../../protocol/index.ts';
import type { RuntimeClient } from '../../runtime/index.ts';
import { durationOf, usage } from '../run/record-options.ts';
import { printAnswer, type RuntimeOptions } from './runtime-options.ts';
import { checkRequest } from './terminal-check.ts';
import { withRuntime } from './terminal-client.ts';
import type { SharedOptions } from './terminal-options.ts';
import { durationOrNothing, given, sharedRequest, sizeOf } from './terminal-request.ts';

export interface CreateOptions extends RuntimeOptions, SharedOptions {
  kind?: string;
  name?: string;
  shell?: string;
  size?: string;
  split?: boolean;
  buffer?: string;
  idle?: string;
  life?: string;
  linger?: string;
}

/** `tacho terminal create` */
export async function createSession(options: CreateOptions, argv: readonly string[]): Promise<void> {
  const kind = kindOf(options, argv);
  refuseUseless(kind, options, argv);
  const request = {
    kind,
    ...sharedRequest(options),
    ...given({
      name: options.name,
      shell: options.shell as 'bash' | undefined,
      argv: argv.length > 0 ? [...argv] : undefined,
      split: options.split,
      buffer_bytes: sizeOf('--buffer', options.buffer),
      idle_ms: durationOf('--idle', options.idle),
      life_ms: durationOf('--life', options.life),
      linger_ms: durationOrNothing('--linger', options.linger),
    }),
    ...(options.size !== undefined && screenSize('--size', options.size)),
  };
  checkRequest('session.create', request, options);
  await withRuntime(options, async (client) => {
    if (options.name !== undefined && !options.json) await warnOfNamesake(client, options.name);
    const session = await client.call('session.create', request);
    printAnswer(options, session, `${session.session_id}\n`);
  });
}

/** `120x40` */
export function screenSize(what: string, text: string): { cols: number; rows: number } {
  const size = /^(\d{1,5})[x×](\d{1,5})$/i.exec(text);
  if (!size) throw usage(`${what} ${text}: not a size of a terminal`, 'Columns and rows, for example: 120x40');
  return { cols: Number(size[1]), rows: Number(size[2]) };
}

function kindOf({ kind }: CreateOptions, argv: readonly string[]): SessionKind {
  const known = sessionKindSchema.safeParse(kind ?? (argv.length > 0 ? 'pty' : 'shell'));
  if (known.success) return known.data;
  throw usage(`--kind ${kind} is not known`, 'Use shell, exec or pty.');
}

/** Rejects options that would have no effect. */
function refuseUseless(
  kind: SessionKind,
  { shell, size, split, timeout }: CreateOptions,
  argv: readonly string[],
): void {
  if (kind === 'exec' && argv.length === 0) {
    throw usage('an exec session needs a program', 'Put it after --: tacho terminal create --kind exec -- make');
  }
  if (kind === 'shell' && argv.length > 0) {
    throw usage('a shell session does not take a program', 'Omit --kind, or the words after --.');
  }
  if (argv.length > 0 && shell !== undefined) {
    throw usage('--shell cannot be combined with a program after --', 'Omit --shell, or the words after --.');
  }
  if (kind !== 'pty' && size !== undefined) throw usage(`a ${kind} session has no size`, 'Use --kind pty.');
  if (kind !== 'pty' && split) throw usage(`the streams of a ${kind} session are apart anyway`, 'Leave out --split.');
  if (kind === 'pty' && timeout !== undefined) {
    throw usage('a pty session runs no commands that --timeout could end', 'Use --life to end the session itself.');
  }
}

async function warnOfNamesake(client: RuntimeClient, name: string): Promise<void> {
  const { sessions } = await client.call('session.list', {});
  const other = sessions.find((session) => session.name === name && !session.exited);
  if (other) process.stderr.write(`tacho: ${other.session_id} has that name too; call them by their ids\n`);
}
