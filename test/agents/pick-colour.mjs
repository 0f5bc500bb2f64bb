// A full-screen program: a menu controlled by keys, redrawn at each key and at each resize.

const COLOURS = ['red', 'green', 'blue', 'äöü 日本'];
let at = 0;

function draw() {
  const { columns, rows } = process.stdout;
  const lines = COLOURS.map((colour, index) => (index === at ? `\x1b[7m> ${colour}\x1b[0m` : `  ${colour}`));
  const drawn = lines.map((line, index) => `\x1b[${index + 3};1H${line}`).join('');
  const title = `\x1b[2J\x1b[1;1HPick a colour (${columns} x ${rows})`;
  process.stdout.write(`${title}${drawn}\x1b[${rows};1Harrows move, Enter picks\x1b[${at + 3};1H`);
}

function leave(text) {
  process.stdout.write(`\x1b[?1049l${text}\r\n`);
  process.exit(0);
}

process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => {
  const key = bytes.toString();
  if (key === '\x1b[B') at = Math.min(at + 1, COLOURS.length - 1);
  if (key === '\x1b[A') at = Math.max(at - 1, 0);
  if (key === '\r') leave(`picked ${COLOURS[at]}`);
  if (key === '\x03') leave('picked nothing');
  draw();
});
process.stdout.on('resize', draw);
process.stdout.write('\x1b[?1049h');
draw();
