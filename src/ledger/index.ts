export { checkSince, type SinceReport } from './check-since.ts';
export { Ledger } from './ledger.ts';
