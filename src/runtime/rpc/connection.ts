import type { Readable, Writable } from 'node:stream';
import { type ExecOutput, TachoError } from '../../protocol/index.ts';
import { LineSplitter, TOO_LONG } from '../../terminal/line-splitter.ts';
import type { CallRuntime } from '../call-runtime.ts';
import {
  type Addressee,
  answerText,
  type CallRequest,
  expectsAnswer,
  NO_ADDRESSEE,
  notificationText,
  readRequest,
  refusalText,
} from './message.ts';
import { Outbox } from './outbox.ts';

export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** Maximum number of concurrent calls of a connection; further ones are read when a call has ended. */
const MAX_CALLS = 64;

export interface ConnectionOptions {
  input: Readable;
  output: Writable;
  call: CallRuntime;
  /** Checks a secret; without it every request on the connection is accepted. */
  isSecret?: (secret: string) => boolean;
  /** False: a message without a secret is accepted. */
  secretRequired?: boolean;
  /** Called when the connection has sent the secret. */
  onAuthorised?: () => void;
}

/**
 * Serves one connection to its end: newline-delimited messages, concurrent calls, responses in the order in which calls
 * end. Stops reading while the client does not read its responses.
 */
export async function serveConnection(options: ConnectionOptions): Promise<void> {
  const { input } = options;
  const outbox = new Outbox(options.output);
  const calls = new Set<Promise<void>>();
  const splitter = new LineSplitter(MAX_MESSAGE_BYTES);
  const admit = createAdmission(options);
  const attachments = holdAttachments(options.call);
  /** Returns false when the connection must end. */
  const take = async (line: Buffer | typeof TOO_LONG): Promise<boolean> => {
    if (line !== TOO_LONG && line.length === 0) return true;
    while (calls.size >= MAX_CALLS) await Promise.race(calls);
    await outbox.room();
    let request: CallRequest | null = null;
    try {
      if (line === TOO_LONG) throw tooLong();
      request = readRequest(line);
      admit(request);
    } catch (error) {
      await outbox.send(refusalText(request ?? NO_ADDRESSEE, error));
      return admit.isOpen();
    }
    const answering = answer(request, attachments.call, outbox).finally(() => calls.delete(answering));
    calls.add(answering);
    return true;
  };
  try {
    await readLines({ input, splitter, take });
  } catch {
    // The client has disconnected; what it started keeps running.
  }
  attachments.release();
  await Promise.all(calls);
  await outbox.end();
}

async function readLines({
  input,
  splitter,
  take,
}: {
  input: Readable;
  splitter: LineSplitter;
  take: (line: Buffer | typeof TOO_LONG) => Promise<boolean>;
}): Promise<void> {
  // Input and output may be one socket, which is still needed for responses after the input has ended.
  for await (const bytes of input.iterator({ destroyOnReturn: false })) {
    for (const line of splitter.push(bytes as Buffer)) if (!(await take(line))) return;
  }
  // A last line without a line feed is processed too.
  await take(splitter.rest());
}

async function answer(request: CallRequest, call: CallRuntime, outbox: Outbox): Promise<void> {
  const takeOutput = (output: ExecOutput) => outbox.send(notificationText('exec.output', output));
  try {
    const result = await call(request.method, request.params, takeOutput);
    await reply(request, () => answerText(request, result));
  } catch (error) {
    await reply(request, () => refusalText(request, error));
  }
  async function reply(addressee: Addressee, text: () => string): Promise<void> {
    // A client that has disconnected gets no response, which is not an error.
    if (expectsAnswer(addressee)) await outbox.send(text()).catch(() => {});
  }
}

/** Accepts requests once one of them has sent the secret. */
function createAdmission({ isSecret, secretRequired = true, onAuthorised }: ConnectionOptions) {
  let open = isSecret === undefined || !secretRequired;
  const admit = ({ secret }: CallRequest): void => {
    const right = secret === null ? open : (isSecret?.(secret) ?? true);
    if (!right) {
      open = false;
      throw new TachoError('AUTH_FAILED', secret === null ? 'the secret is missing' : 'the secret is wrong', {
        fix: 'Send the secret of server.json in the first message: {…,"secret":"…"}',
      });
    }
    if (!open) onAuthorised?.();
    open = true;
  };
  return Object.assign(admit, { isOpen: () => open });
}

function tooLong(): TachoError {
  return new TachoError('BODY_TOO_LARGE', `a message may have ${MAX_MESSAGE_BYTES} bytes`, {
    facts: { max_bytes: MAX_MESSAGE_BYTES },
    fix: 'Send the data in pieces.',
  });
}

/** Detaches what a connection attached when it ends: a client that was killed cannot do so itself. */
function holdAttachments(call: CallRuntime): { call: CallRuntime; release(): void } {
  const held = new Map<string, Record<string, unknown>>();
  return {
    async call(method, params, take) {
      const result = await call(method, params, take);
      const key = JSON.stringify([params.session_id, params.client_id]);
      if (method === 'session.attach') held.set(key, params);
      if (method === 'session.detach') held.delete(key);
      return result;
    },
    release() {
      // Fails for a session that is gone, which has no attachments.
      for (const params of held.values()) call('session.detach', params, () => {}).catch(() => {});
      held.clear();
    },
  };
}
