#!/usr/bin/env node
// `npm install` without a network: makes the packages of package.json, each with one program.
// The last number of a version is the Node that the package needs; a package named empty-… has no program,
// and one named linked-… has a link with an absolute path.
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
  const linked = name.startsWith('linked-');
  fs.writeFileSync(path.join(home, linked ? 'real' : 'program'), script, { mode: 0o755 });
  if (linked) fs.symlinkSync(path.resolve(home, 'real'), path.join(home, 'program'));
  const link = path.join('node_modules/.bin', name === 'node' ? 'node' : name.replace(/^.*-/, ''));
  fs.rmSync(link, { force: true });
  fs.symlinkSync(path.join('..', name, 'program'), link);
}
