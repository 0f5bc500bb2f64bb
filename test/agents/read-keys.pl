#!/usr/bin/env perl
# Reads single keys from the terminal behind a descriptor and prints each as hex; further words are for stty.
# Says so when it gets a signal, and stops itself at SIGTSTP as some full-screen programs do.
use strict;
use warnings;

my ($descriptor, @modes) = @ARGV;
$| = 1;
open(my $terminal, '<&=', $descriptor) or die $!;
for my $signal (qw(INT QUIT)) { $SIG{$signal} = sub { print "signal $signal\n" } }
$SIG{TSTP} = sub { print "signal TSTP\n"; kill 'STOP', $$; print "continued\n" };
system("stty raw -echo @modes <&$descriptor");
print "ready\n";
for (;;) {
  my $count = sysread($terminal, my $key, 1);
  printf("key %02x\n", ord $key) if $count;
  last if defined $count && $count == 0;
}
