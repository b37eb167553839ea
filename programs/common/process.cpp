#include "common/process.h"

namespace process {

std::vector<std::string> receive(Process &process)
{
    std::vector<std::string> lines;
    read_output(process);
    for (size_t end; (end = process.unread.find('\n')) != std::string::npos;) {
        lines.push_back(process.unread.substr(0, end));
        process.unread.erase(0, end + 1);
    }
    return lines;
}

}
