// Writes the plots, and the parts of the documents that are generated from results.
#pragma once
#include "bench/report/results.h"

namespace bench::plots {

// Writes each plot whose values were measured into `folder`. Returns "" or a description of the
// error.
std::string write(const Results &all, const std::string &folder);
// Renews docs/plots/ under `root`, and the marked blocks in docs/performance.md and README.md.
// Returns "" or a description of the error.
std::string write_documents(const Results &all, const std::string &root);

}
