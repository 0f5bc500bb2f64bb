// Writes to stderr first, then JSON to stdout. On a terminal Node opens the device again for each stream, so the
// writes are on other descriptors than 1 and 2.
process.stderr.write('warming up\n');
process.stdout.write(`${JSON.stringify({ answer: 42, text: 'on stdout' })}\n`);
process.stderr.write('done\n');
