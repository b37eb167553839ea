#include "common/process.h"
#ifdef _WIN32
#include <windows.h>

#include <psapi.h>

namespace process {

static HANDLE handle(intptr_t value)
{
    return reinterpret_cast<HANDLE>(value);
}

static intptr_t number(HANDLE value)
{
    return reinterpret_cast<intptr_t>(value);
}

static void close_one(intptr_t &value)
{
    if (value != -1) CloseHandle(handle(value));
    value = -1;
}

// Quotes an argument in the way that CommandLineToArgvW() undoes.
static std::string quoted(const std::string &argument)
{
    std::string text = "\"";
    size_t backslashes = 0; // They count before a quotation mark only.
    for (const char c : argument) {
        if (c == '"') text.append(backslashes + 1, '\\');
        backslashes = c == '\\' ? backslashes + 1 : 0;
        text += c;
    }
    text.append(backslashes, '\\');
    return text + "\"";
}

// Makes a pipe, one of whose ends the new process has.
static bool make_pipe(intptr_t &theirs, intptr_t &ours, bool they_read)
{
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, nullptr, TRUE};
    HANDLE read_end = nullptr, write_end = nullptr;
    if (!CreatePipe(&read_end, &write_end, &inherited, 0)) return false;
    theirs = number(they_read ? read_end : write_end);
    ours = number(they_read ? write_end : read_end);
    return SetHandleInformation(handle(ours), HANDLE_FLAG_INHERIT, 0) != 0;
}

std::string start(Process &process, const std::vector<std::string> &arguments)
{
    std::string line;
    for (const std::string &argument : arguments)
        line += (line.empty() ? "" : " ") + quoted(argument);
    process = {};
    intptr_t input = -1, output = -1;
    STARTUPINFOA startup = {};
    PROCESS_INFORMATION made = {};
    bool is_started =
        make_pipe(input, process.input, true) && make_pipe(output, process.output, false);
    if (is_started) {
        startup.cb = sizeof startup;
        startup.dwFlags = STARTF_USESTDHANDLES;
        startup.hStdInput = handle(input);
        startup.hStdOutput = handle(output);
        startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
        is_started = CreateProcessA(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr,
                                    nullptr, &startup, &made) != 0;
    }
    const DWORD error = GetLastError();
    close_one(input);
    close_one(output);
    if (is_started) {
        CloseHandle(made.hThread);
        process.id = number(made.hProcess);
        return "";
    }
    close_one(process.input);
    close_one(process.output);
    return "no process could be started: Windows error " + std::to_string(error);
}

void send(Process &process, const std::string &line)
{
    const std::string text = line + "\n";
    DWORD sent = 0; // A pipe takes all or fails.
    if (process.input != -1 && !WriteFile(handle(process.input), text.data(),
                                          static_cast<DWORD>(text.size()), &sent, nullptr))
        close_input(process);
}

void close_input(Process &process)
{
    close_one(process.input);
}

void read_output(Process &process)
{
    char bytes[65536];
    while (process.output != -1) {
        DWORD waiting = 0, count = 0;
        if (!PeekNamedPipe(handle(process.output), nullptr, 0, nullptr, &waiting, nullptr)) {
            close_one(process.output);
        } else if (waiting == 0) {
            return;
        } else if (ReadFile(handle(process.output), bytes, sizeof bytes, &count, nullptr)) {
            process.unread.append(bytes, count);
        } else {
            close_one(process.output);
        }
    }
}

void kill(Process &process)
{
    if (process.id != -1) TerminateProcess(handle(process.id), 1);
}

static bool reap(Process &process, DWORD timeout_ms)
{
    if (process.id == -1) return true;
    if (WaitForSingleObject(handle(process.id), timeout_ms) != WAIT_OBJECT_0) return false;
    DWORD status = 0;
    PROCESS_MEMORY_COUNTERS memory = {};
    GetExitCodeProcess(handle(process.id), &status);
    if (K32GetProcessMemoryInfo(handle(process.id), &memory, sizeof memory))
        process.resident_kb = memory.PeakWorkingSetSize / 1024;
    if (status != 0) process.failure = "ended with status " + std::to_string(status);
    close_one(process.id);
    close_input(process);
    return true;
}

bool has_ended(Process &process)
{
    return reap(process, 0);
}

void wait_for_end(Process &process)
{
    reap(process, INFINITE);
}

}
#endif
