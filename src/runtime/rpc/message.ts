import { descriptorShortage } from '../../files/index.ts';
import {
  JSON_RPC_NUMBERS,
  JSON_RPC_REFUSED,
  type RpcRequest,
  rpcRequestSchema,
  TachoError,
} from '../../protocol/index.ts';
import type { EncodedBytes } from '../../terminal/encode-bytes.ts';

export interface CallRequest {
  /** Undefined: the client expects no response. */
  id: RpcRequest['id'];
  method: string;
  params: Record<string, unknown>;
  secret: string | null;
}

/** The request that a response belongs to. */
export type Addressee = Pick<CallRequest, 'id'>;

/** For a message that cannot be parsed. */
export const NO_ADDRESSEE: Addressee = { id: null };

/** The end of a notification whose last member is the bytes. */
const BYTES_END = '"}}\n';

/** An error with its own JSON-RPC number. */
class MessageError extends TachoError {
  readonly number: number;

  constructor(number: number, message: string) {
    super('INVALID_REQUEST', message, {
      fix: 'Send one JSON object a line: {"jsonrpc":"2.0","id":1,"method":"system.ping","params":{}}',
    });
    this.number = number;
  }
}

export function readRequest(line: Buffer): CallRequest {
  const checked = rpcRequestSchema.safeParse(parse(line));
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw new MessageError(-32_600, `the message is not a request: ${issue?.path.join('.')} ${issue?.message}`);
  }
  const { id, method, params = {}, secret = null } = checked.data;
  return { id, method, params, secret };
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    throw new MessageError(-32_700, 'the message is not JSON');
  }
}

export function expectsAnswer({ id }: Addressee): boolean {
  return id !== undefined;
}

export function answerText({ id }: Addressee, result: unknown): string {
  return write({ jsonrpc: '2.0', id: id ?? null, result });
}

export function refusalText({ id }: Addressee, error: unknown): string {
  const known = descriptorShortage('daemon', error) ?? (error instanceof TachoError ? error : unexpected(error));
  const { code, message, facts, fix } = known;
  const number = known instanceof MessageError ? known.number : (JSON_RPC_NUMBERS[code] ?? JSON_RPC_REFUSED);
  return write({ jsonrpc: '2.0', id: id ?? null, error: { code: number, message, data: { code, facts, fix } } });
}

/** A notification with bytes and other params. */
export function notificationText(method: string, params: EncodedBytes): string {
  const { data, ...rest } = params;
  // JSON does not change base64, and serialising it again would take longer than everything else here.
  const sent = rest.encoding === 'base64' ? { ...rest, data: '' } : params;
  const text = write({ jsonrpc: '2.0', method, params: sent });
  return sent === params ? text : text.slice(0, -BYTES_END.length) + data + BYTES_END;
}

function write(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

function unexpected(cause: unknown): TachoError {
  return new TachoError('INTERNAL_ERROR', cause instanceof Error ? cause.message : String(cause), { cause });
}
