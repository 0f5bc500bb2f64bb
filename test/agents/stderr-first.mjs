// Writes stderr before stdout through Node's streams, which reopen the terminal with other descriptors.
process.stderr.write('first on stderr\n');
process.stdout.write('second on stdout\n');
process.stderr.write('third on stderr\n');
