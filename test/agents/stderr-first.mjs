// Writes stderr before stdout through Node's own streams, which re-open the terminal under other descriptors.
process.stderr.write('first on stderr\n');
process.stdout.write('second on stdout\n');
process.stderr.write('third on stderr\n');
