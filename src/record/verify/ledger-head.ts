import type { LedgerHead } from '../../protocol/record/ledger.ts';

const LINE = /^tacho-ledger\/1 (0|[1-9]\d{0,14}) ([0-9a-f]{64}) ([0-9a-f]{16}) ([A-Za-z0-9_-]{85}[AQgw])$/;

/** `tacho-ledger/1 <size> <root> <key id> <signature>`. */
export function formatHead({ size, root, key, signature }: LedgerHead): string {
  return `${signedText({ size, root, key })} ${signature}`;
}

/** Null for any other text. Surrounding white space, for example from copying, is ignored. */
export function parseHead(text: string): LedgerHead | null {
  const [, size, root, key, signature] = LINE.exec(text.trim()) ?? [];
  return signature === undefined ? null : { size: Number(size), root: root!, key: key!, signature };
}

/** The signed text. */
export function signedText({ size, root, key }: Omit<LedgerHead, 'signature'>): string {
  return `tacho-ledger/1 ${size} ${root} ${key}`;
}
