#!/bin/bash
# Compiles the C# binding with its test and its samples, and runs them:
# csharp.sh FOLDER_FOR_PROGRAMS COMMAND_THAT_PLAYS_WITH_A_GUEST [ARGUMENT ...]
set -eu
cd "$(dirname "$0")/../.."
folder=${1:?which folder?}
shift
compile() {
    mcs -unsafe -langversion:latest -warnaserror "-out:$folder/$1" bindings/csharp/Runtime/*.cs "$2"
}
compile CsharpTest.exe tests/bindings/CsharpTest.cs
mono "$folder/CsharpTest.exe"
compile Lamp.exe "bindings/csharp/Samples~/Lamp.cs"
printf '#!/bin/sh\nexec mono "%s"\n' "$folder/Lamp.exe" >"$folder/lamp_host"
chmod +x "$folder/lamp_host"
"$1" "$folder/lamp_host" mono "$folder/Lamp.exe"
compile Meet.exe "bindings/csharp/Samples~/Meet.cs"
"$@" mono "$folder/Meet.exe"
