// A browser without a window, steered over its debugging pipe (the Chrome DevTools Protocol):
// looks at a page in real time, as a person does, and says what the page's script complains of.
#pragma once
#include "tests/programs/process.h"
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace dedicated::test {

// Empty if there is none.
inline std::string browser_path()
{
    for (const char *path : {"/usr/bin/chromium", "/usr/bin/chromium-browser",
                             "/usr/bin/google-chrome", "/opt/google/chrome/chrome"})
        if (access(path, X_OK) == 0) return path;
    return {};
}

struct Looks {
    int width = 1400, height = 1000;
    bool dark = false;
};

struct Browser {
    using Json = nlohmann::json;

    std::string folder; // Its profile, and the two ends of its pipe.
    tern::test::Process process;
    int to = -1, from = -1;
    std::string heard, session;
    int count = 0;
    std::vector<std::string> complaints; // Errors of scripts, of the policy, of loading.

    explicit Browser(const std::string &url, const Looks &looks = {})
        : folder(made_folder()), process({"/bin/sh", "-c", command(folder)})
    {
        // For both ways, so that neither end waits for the other.
        to = open((folder + "/to").c_str(), O_RDWR | O_CLOEXEC);
        from = open((folder + "/from").c_str(), O_RDWR | O_CLOEXEC);
        const Json target = ask("Target.createTarget", {{"url", "about:blank"}});
        const Json attached = ask("Target.attachToTarget",
                                  {{"targetId", target.value("targetId", "")}, {"flatten", true}});
        session = attached.value("sessionId", "");
        for (const char *domain : {"Runtime.enable", "Log.enable", "Page.enable"})
            ask(domain);
        ask("Emulation.setDeviceMetricsOverride", {{"width", looks.width},
                                                   {"height", looks.height},
                                                   {"deviceScaleFactor", 1},
                                                   {"mobile", false}});
        ask("Emulation.setEmulatedMedia",
            {{"features",
              {{{"name", "prefers-color-scheme"}, {"value", looks.dark ? "dark" : "light"}}}}});
        ask("Page.navigate", {{"url", url}});
    }
    Browser(const Browser &) = delete;
    ~Browser()
    {
        ask("Browser.close");
        process.end_by(SIGKILL);
        close(to);
        close(from);
        std::error_code ignored; // What the browser has started may still write for a moment.
        for (int i = 0; i < 100 && std::filesystem::exists(folder, ignored); ++i) {
            std::filesystem::remove_all(folder, ignored);
            usleep(20'000);
        }
    }

    static std::string made_folder()
    {
        char path[] = "/tmp/tern-page-XXXXXX";
        const std::string folder = mkdtemp(path);
        mkfifo((folder + "/to").c_str(), 0600);
        mkfifo((folder + "/from").c_str(), 0600);
        return folder;
    }
    static std::string command(const std::string &folder)
    {
        return "exec " + browser_path() +
               " --headless --no-sandbox --disable-gpu --disable-quic --no-first-run"
               " --disable-background-networking --disable-component-update --disable-sync"
               " --disable-dev-shm-usage --hide-scrollbars --remote-debugging-pipe"
               " --user-data-dir=" +
               folder + "/profile 3<" + folder + "/to 4>" + folder + "/from";
    }

    // The next message; null after 30 s of silence.
    Json hear()
    {
        for (;;) {
            const size_t end = heard.find('\0');
            if (end != std::string::npos) {
                const Json message = Json::parse(heard.substr(0, end), nullptr, false);
                heard.erase(0, end + 1);
                return message;
            }
            if (!tern::test::read_more(from, heard, 30'000)) return nullptr;
        }
    }
    void note(const Json &message)
    {
        const std::string method = message.value("method", "");
        if (method == "Runtime.exceptionThrown" || method == "Runtime.consoleAPICalled" ||
            method == "Log.entryAdded")
            complaints.push_back(message["params"].dump());
    }
    // The result; empty if it failed.
    Json ask(const std::string &method, const Json &parameters = Json::object())
    {
        Json request = {{"id", ++count}, {"method", method}, {"params", parameters}};
        if (!session.empty() && !method.starts_with("Browser.")) request["sessionId"] = session;
        const std::string text = request.dump() + '\0';
        for (size_t at = 0; at < text.size();) {
            const ssize_t size = write(to, text.data() + at, text.size() - at);
            if (size <= 0) return Json::object();
            at += static_cast<size_t>(size);
        }
        for (;;) {
            const Json message = hear();
            if (!message.is_object()) return Json::object();
            if (message.value("id", 0) == count) return message.value("result", Json::object());
            note(message);
        }
    }
    Json value_of(const std::string &expression)
    {
        const Json answer =
            ask("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}});
        return answer.value("result", Json::object()).value("value", Json());
    }
    std::string text_of(const std::string &selector)
    {
        const Json text = value_of("document.querySelector('" + selector + "').textContent");
        return text.is_string() ? text.get<std::string>() : "(no " + selector + ")";
    }
    size_t count_of(const std::string &selector)
    {
        const Json number = value_of("document.querySelectorAll('" + selector + "').length");
        return number.is_number() ? number.get<size_t>() : 0;
    }
    // False if it does not come to be true within 30 s.
    bool wait_until(const std::string &expression)
    {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
        while (std::chrono::steady_clock::now() < end) {
            if (value_of(expression) == true) return true;
            usleep(50'000);
        }
        return false;
    }
    void point_at(double x, double y)
    {
        ask("Input.dispatchMouseEvent", {{"type", "mouseMoved"}, {"x", x}, {"y", y}});
    }
    // The whole page, however high; a PNG in base64, decoded.
    bool take_picture(const std::string &path)
    {
        const Json answer = ask("Page.captureScreenshot", {{"captureBeyondViewport", true}});
        const std::string text = answer.value("data", "");
        std::string bytes;
        uint32_t bits = 0;
        int have = 0;
        for (const char c : text) {
            static const std::string digits =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            const size_t digit = digits.find(c);
            if (digit == std::string::npos) break;
            bits = bits << 6 | static_cast<uint32_t>(digit);
            have += 6;
            if (have < 8) continue;
            have -= 8;
            bytes += static_cast<char>(bits >> have & 0xff);
        }
        std::ofstream(path, std::ios::binary) << bytes;
        return !bytes.empty();
    }
};

}
