#!/bin/bash
# Compiles the C# binding with its test and its sample, and runs both:
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
compile Meet.exe "bindings/csharp/Samples~/Meet.cs"
"$@" mono "$folder/Meet.exe"
