import { TachoError } from '../../../protocol/index.ts';

export function vaultDamaged(path: string, what: string): TachoError {
  return new TachoError('VAULT_DAMAGED', `${path}: ${what}`, {
    facts: { path },
    fix: 'Restore the folder of the run from a copy; without these contents the run cannot be resumed.',
  });
}
