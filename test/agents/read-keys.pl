#!/usr/bin/env perl
# Reads single keys from the terminal of a descriptor and prints each as hex; further arguments are for stty.
# Prints the signals it gets, and stops itself on SIGTSTP like some full-screen programs.
use strict;
use warnings;
use POSIX ();

my ($descriptor, @modes) = @ARGV;
$| = 1;
open(my $terminal, '<&=', $descriptor) or die $!;
# Handled immediately: a handler in %SIG would wait for a key if the signal came just before the read.
sub on { my ($number, $handler) = @_; POSIX::sigaction($number, POSIX::SigAction->new($handler)) or die $! }
on(POSIX::SIGINT, sub { print "signal INT\n" });
on(POSIX::SIGQUIT, sub { print "signal QUIT\n" });
on(POSIX::SIGTSTP, sub { print "signal TSTP\n"; kill 'STOP', $$; print "continued\n" });
system("stty raw -echo @modes <&$descriptor");
print "ready\n";
for (;;) {
  my $count = sysread($terminal, my $key, 1);
  printf("key %02x\n", ord $key) if $count;
  last if defined $count && $count == 0;
}
