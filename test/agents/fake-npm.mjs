#!/usr/bin/env node
// `npm install` without a network: makes the packages of package.json, each with one program.
// The last number of a version is the Node that the package needs; a package named empty-… has no program.
import fs from 'node:fs';
import path from 'node:path';

const { dependencies } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
for (const [name, version] of Object.entries(dependencies)) {
  const home = path.join('node_modules', name);
  fs.mkdirSync(home, { recursive: true });
  fs.mkdirSync('node_modules/.bin', { recursive: true });
  const needed = /(\d+)$/.exec(version)[1];
  const engines = name === 'node' ? undefined : { node: `>=${needed}.0.0` };
  fs.writeFileSync(path.join(home, 'package.json'), JSON.stringify({ name, version, engines }));
  if (name.startsWith('empty-')) continue;
  const told = version.replace('^', '');
  const script = name === 'node' ? `#!/bin/sh\necho v${told}\n` : '#!/usr/bin/env node\n';
  fs.writeFileSync(path.join(home, 'program'), script, { mode: 0o755 });
  const link = path.join('node_modules/.bin', name === 'node' ? 'node' : name.replace(/^.*-/, ''));
  fs.rmSync(link, { force: true });
  fs.symlinkSync(path.join('..', name, 'program'), link);
}
