export { Ledger, LedgerReader, type NewEntry } from './ledger.ts';
