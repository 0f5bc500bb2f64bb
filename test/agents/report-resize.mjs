// Says the sizes of both its terminals at the start and at every resize it hears of.
const say = () => process.stdout.write(`${process.stdout.getWindowSize()} ${process.stderr.getWindowSize()}\n`);
process.on('SIGWINCH', () => {
  // Node asks for the new size by itself; the size is the terminal's, whoever hears of it first.
  process.stdout._refreshSize();
  process.stderr._refreshSize();
  say();
});
process.stdin.once('data', () => process.exit(0));
say();
