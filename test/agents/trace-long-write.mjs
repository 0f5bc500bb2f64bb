// A single write of 70,023 bytes.
import fs from 'node:fs';

fs.writeSync(1, `{"type":"x","text":"${'A'.repeat(70_000)}"}\n`);
