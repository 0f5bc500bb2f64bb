import * as z from 'zod';
import { choice, list } from '../field.ts';

const paths = { item: /^[^\0]+$/, of: 'paths; relative ones start at the workspace' };

/** What commands of agents can reach. */
export const sandboxSchema = z.strictObject({
  profile: choice(
    ['dev', 'balanced', 'prod', 'none'],
    'How much of the machine commands can reach; none runs them without a sandbox.',
  ),
  network: choice(['default', 'on', 'off'], 'Whether commands have a network; default leaves it to the profile.'),
  read: list('Further paths that commands can read.', paths),
  write: list('Further paths that commands can write.', paths),
});
