// The documents' share of results: plots, and text between marks.
#pragma once
#include "bench/report/results.h"

namespace bench::plots {

// Each of those for which something was measured, into this folder. "": all went well; else what
// did not.
std::string write(const Results &all, const std::string &folder);
// docs/performance.md, README.md and docs/plots/ under `root`: what stands between their marks is
// made anew. The same.
std::string write_documents(const Results &all, const std::string &root);

}
