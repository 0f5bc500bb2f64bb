// Finds the server of this user as the tacho command does: the data folder says where it is and with which token.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { createClient } from 'tachograph/client';

export function connect() {
  const data = process.env.TACHO_HOME || path.join(homedir(), '.tacho');
  const { url } = JSON.parse(readFileSync(path.join(data, 'server.json'), 'utf8'));
  const [, token] = /^admin\s+(\S+)/m.exec(readFileSync(path.join(data, 'token'), 'utf8'));
  return createClient({ url, token });
}
