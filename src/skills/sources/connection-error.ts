import type { TachoError } from '../../protocol/index.ts';
import { onOneLine } from '../quoted.ts';
import { sourceUnavailable } from '../source-errors.ts';

/** Reads the connection string of a source when it is needed. Its value never enters a message. */
export interface ConnectionString {
  variable: string;
  read(): string | undefined;
}

/** Fails with SKILL_SOURCE_UNAVAILABLE if the variable is not set. */
export function requireDsn(source: string, { variable, read }: ConnectionString): string {
  const dsn = read();
  if (dsn) return dsn;
  throw sourceUnavailable(source, `the variable ${variable}, which names its server, is not set`);
}

/** The error of a client library, without the connection string: some libraries put it into their errors. */
export function connectionError(source: string, error: unknown, dsn: string): TachoError {
  const { code, message, errors } = error as Error & { code?: unknown; errors?: Error[] };
  // A host with several addresses gives one error for each, and no message of its own.
  const text =
    message || errors?.map((one) => one.message).join('; ') || (typeof code === 'string' ? code : 'unknown error');
  return sourceUnavailable(source, withoutSecrets(onOneLine(text), dsn));
}

function withoutSecrets(text: string, dsn: string): string {
  const password = /^[^:]+:\/\/[^@/]*:([^@/]+)@/.exec(dsn)?.[1];
  const secrets = [dsn, password, password && safeDecode(password)].filter((secret) => secret !== undefined);
  return secrets.reduce<string>(
    (masked, secret) => (secret === '' ? masked : masked.replaceAll(secret, '‹secret›')),
    text,
  );
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
