#!/bin/sh
# jail.sh FOLDER PROGRAM [ARGUMENT...]: a static program with FOLDER as its root directory, for programs that have
# /www, /certs, /logs and /downloads built in. Needs root, or to be root in a user namespace.
folder=$1 program=$2
shift 2
name=$(basename "$program")
cp "$program" "$folder/$name"
exec chroot "$folder" "/$name" "$@"
