# Every way in which a shell redirects its streams. The words name their stream.
echo out-1
echo err-1 >&2
exec 5>&1 6>&2
echo out-2 >&5
echo err-2 >&6
{ echo err-3; } 1>&2
{ echo out-3; } 2>/dev/null
( echo out-4; echo err-4 >&2 )
( echo err-5; echo out-5 >&2 ) 3>&1 1>&2 2>&3 3>&-
echo out-6 | cat
echo hidden > /dev/null
bash -c 'echo out-7; echo out-7b >&2' 2>&1
echo out-8 > /dev/tty
value=$(echo captured; echo err-8 >&2)
echo "out-9 $value"
exec 5>&- 6>&-
