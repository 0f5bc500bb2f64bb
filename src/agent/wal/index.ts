export type { HookProblem, WalHook } from './hooks.ts';
export type { MaskedStream } from './redaction/masked-stream.ts';
export type { SecretValue } from './redaction/secret-search.ts';
export { createRedactor, type Redactor } from './redactor.ts';
export type { SubscribeOptions } from './subscription.ts';
export { Vault } from './vault/vault.ts';
export { type Appended, type OpenWalOptions, openWal, type Wal } from './wal.ts';
