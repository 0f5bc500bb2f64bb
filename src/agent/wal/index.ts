export type { HookProblem, WalHook } from './hooks.ts';
export type { SubscribeOptions } from './subscription.ts';
export { Vault } from './vault/vault.ts';
export { type Appended, type OpenWalOptions, openWal, type Wal } from './wal.ts';
