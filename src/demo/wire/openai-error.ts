const TYPES: Record<number, string> = {
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'server_error',
};
const CODES: Record<number, string> = {
  401: 'invalid_api_key',
  429: 'rate_limit_exceeded',
  500: 'server_error',
};

/** The error body both OpenAI protocols share. */
export function openaiError(status: number, message: string): unknown {
  return {
    error: { message, type: TYPES[status] ?? 'invalid_request_error', param: null, code: CODES[status] ?? null },
  };
}
