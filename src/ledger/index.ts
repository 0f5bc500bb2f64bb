export { checkSince } from './check-since.ts';
export { Ledger } from './ledger.ts';
export { proofOf } from './proof-of.ts';
