import * as z from 'zod';
import { type ErrorCode, EXIT_CODES } from '../error-code.ts';

const requestId = z.union([z.string().max(200), z.int(), z.null()]);
const version = z.literal('2.0');

export const rpcRequestSchema = z.strictObject({
  jsonrpc: version,
  id: requestId.optional().describe('Without it no answer is sent.'),
  method: z.string().max(100),
  params: z.record(z.string(), z.unknown()).optional(),
  secret: z.string().max(200).optional().describe('On the socket: in the first message of a connection.'),
});
export type RpcRequest = z.infer<typeof rpcRequestSchema>;

export const rpcErrorSchema = z.strictObject({
  code: z.int(),
  message: z.string(),
  data: z.strictObject({
    code: z.enum(Object.keys(EXIT_CODES) as [ErrorCode, ...ErrorCode[]]),
    facts: z.record(z.string(), z.unknown()).default({}),
    fix: z.string().optional(),
  }),
});
export const rpcAnswerSchema = z.union([
  z.strictObject({ jsonrpc: version, id: requestId, result: z.unknown() }),
  z.strictObject({ jsonrpc: version, id: requestId, error: rpcErrorSchema }),
]);
export type RpcAnswer = z.infer<typeof rpcAnswerSchema>;

/** Numbers JSON-RPC itself gives a meaning to; all our other errors are -32000 and distinguished by `data.code`. */
export const JSON_RPC_NUMBERS: Partial<Record<ErrorCode, number>> = {
  METHOD_NOT_FOUND: -32_601,
  INVALID_PARAMS: -32_602,
  INTERNAL_ERROR: -32_603,
};
export const JSON_RPC_REFUSED = -32_000;
