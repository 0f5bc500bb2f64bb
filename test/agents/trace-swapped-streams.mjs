// Writes to stderr first, then JSON to stdout. On a terminal Node reopens the device for each stream, so the writes
// use other descriptors than 1 and 2.
process.stderr.write('warming up\n');
process.stdout.write(`${JSON.stringify({ answer: 42, text: 'on stdout' })}\n`);
process.stderr.write('done\n');
