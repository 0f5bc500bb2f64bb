// Prints the sizes of both terminals at the start and at every resize.
const say = () => process.stdout.write(`${process.stdout.getWindowSize()} ${process.stderr.getWindowSize()}\n`);
process.on('SIGWINCH', () => {
  // Node updates the size by itself, for whichever terminal is notified first.
  process.stdout._refreshSize();
  process.stderr._refreshSize();
  say();
});
process.stdin.once('data', () => process.exit(0));
say();
