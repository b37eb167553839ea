// Gateways that stand in for real ones: one for NAT-PMP, one for UPnP Internet Gateway Device. Each
// runs in its own thread and records the requests.
#pragma once
#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <cstring>
#include <mutex>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tern::test {

inline int bound_socket(int kind, const char *ip, uint16_t port)
{
    const int descriptor = socket(AF_INET, kind | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = inet_addr(ip);
    if (bind(descriptor, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

inline bool is_readable(int descriptor)
{
    pollfd waiting = {descriptor, POLLIN, 0};
    return poll(&waiting, 1, 20) == 1;
}

struct MappingRequest {
    uint16_t internal_port, external_port;
    uint32_t lifetime_s;
    bool operator==(const MappingRequest &) const = default;
};

// RFC 6886, on its standard port and on a loopback address that no other process uses.
struct NatPmpGateway {
    std::string ip =
        "127.53." + std::to_string(getpid() / 250 % 250) + "." + std::to_string(getpid() % 250 + 1);
    uint32_t lifetime_s_max = 7200;
    uint16_t gives_port = 0; // 0: the requested port.
    uint16_t result = 0;     // Result code for mapping requests; 0: success.
    int _descriptor = bound_socket(SOCK_DGRAM, ip.c_str(), 5351);
    std::atomic<bool> _stops = false;
    std::mutex _mutex;
    std::vector<MappingRequest> _requests;
    std::thread _thread;

    ~NatPmpGateway() { stop(); }
    bool runs() const { return _descriptor >= 0; }
    void start()
    {
        _thread = std::thread([this] {
            while (!_stops)
                if (is_readable(_descriptor)) answer();
        });
    }
    void stop()
    {
        _stops = true;
        if (_thread.joinable()) _thread.join();
        if (_descriptor >= 0) close(_descriptor);
        _descriptor = -1;
    }
    std::vector<MappingRequest> requests()
    {
        const std::lock_guard<std::mutex> lock(_mutex);
        return _requests;
    }

    static uint32_t number(const uint8_t *bytes, size_t count)
    {
        uint32_t value = 0;
        for (size_t i = 0; i < count; ++i)
            value = value << 8 | bytes[i];
        return value;
    }
    static void put(uint8_t *bytes, uint32_t value, size_t count)
    {
        for (size_t i = 0; i < count; ++i)
            bytes[i] = static_cast<uint8_t>(value >> 8 * (count - 1 - i));
    }
    void answer()
    {
        uint8_t asked[64] = {}, told[16] = {};
        sockaddr_in from = {};
        socklen_t from_bytes = sizeof from;
        const ssize_t size = recvfrom(_descriptor, asked, sizeof asked, 0,
                                      reinterpret_cast<sockaddr *>(&from), &from_bytes);
        size_t told_bytes = 0;
        told[1] = static_cast<uint8_t>(128 + asked[1]);
        put(told + 4, 100, 4); // Seconds since the gateway's start.
        if (size == 2 && asked[1] == 0) {
            told_bytes = 12;
            put(told + 8, 0xcb007107, 4); // 203.0.113.7
        } else if (size == 12 && asked[1] == 1) {
            told_bytes = 16;
            take({static_cast<uint16_t>(number(asked + 4, 2)),
                  static_cast<uint16_t>(number(asked + 6, 2)), number(asked + 8, 4)},
                 told);
        }
        sendto(_descriptor, told, told_bytes, 0, reinterpret_cast<const sockaddr *>(&from),
               from_bytes);
    }
    void take(const MappingRequest &request, uint8_t *told)
    {
        const std::lock_guard<std::mutex> lock(_mutex);
        _requests.push_back(request);
        const bool deletes = request.lifetime_s == 0;
        put(told + 2, result, 2);
        put(told + 8, request.internal_port, 2);
        put(told + 10, deletes ? 0 : gives_port ? gives_port : request.external_port, 2);
        put(told + 12, std::min(request.lifetime_s, lifetime_s_max), 4);
    }
};

// Serves the description at /gateway.xml, and the three actions that tern-map uses.
struct UpnpGateway {
    int error = 0;               // Error code of AddPortMapping; 0: success.
    bool only_permanent = false; // Answers error 725 to mappings with a lifetime.
    int _descriptor = bound_socket(SOCK_STREAM, "127.0.0.1", 0);
    std::atomic<bool> _stops = false;
    std::mutex _mutex;
    std::vector<std::string> _actions;
    std::thread _thread;

    ~UpnpGateway()
    {
        _stops = true;
        if (_thread.joinable()) _thread.join();
        close(_descriptor);
    }
    void start()
    {
        listen(_descriptor, 8);
        _thread = std::thread([this] {
            while (!_stops)
                if (is_readable(_descriptor))
                    serve(accept4(_descriptor, nullptr, nullptr, SOCK_CLOEXEC));
        });
    }
    std::string url() const
    {
        sockaddr_in address = {};
        socklen_t size = sizeof address;
        getsockname(_descriptor, reinterpret_cast<sockaddr *>(&address), &size);
        return "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/gateway.xml";
    }
    std::vector<std::string> actions() // Each as "Add 7777 8888 3600" or "Delete 8888".
    {
        const std::lock_guard<std::mutex> lock(_mutex);
        return _actions;
    }

    static std::string element(const std::string &text, const std::string &name)
    {
        const size_t begin = text.find("<" + name + ">"), end = text.find("</" + name + ">");
        if (begin == std::string::npos || end == std::string::npos) return "";
        return text.substr(begin + name.size() + 2, end - begin - name.size() - 2);
    }
    static std::string described()
    {
        const std::string service = "urn:schemas-upnp-org:service:WANIPConnection:1";
        const auto device = [](const char *name, const std::string &inside) {
            return std::string("<device><deviceType>urn:schemas-upnp-org:device:") + name +
                   ":1</deviceType>" + inside + "</device>";
        };
        const std::string connection =
            device("WANConnectionDevice",
                   "<serviceList><service><serviceType>" + service +
                       "</serviceType><serviceId>a</serviceId><controlURL>/control</controlURL>"
                       "<eventSubURL>/e</eventSubURL><SCPDURL>/s</SCPDURL></service>"
                       "</serviceList>");
        const std::string wan = device("WANDevice", "<deviceList>" + connection + "</deviceList>");
        return "<?xml version=\"1.0\"?><root xmlns=\"urn:schemas-upnp-org:device-1-0\">" +
               device("InternetGatewayDevice", "<deviceList>" + wan + "</deviceList>") + "</root>";
    }
    static std::string envelope(const std::string &inside)
    {
        return "<?xml version=\"1.0\"?><s:Envelope "
               "xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>" +
               inside + "</s:Body></s:Envelope>";
    }
    static std::string fault(int code)
    {
        return envelope("<s:Fault><faultcode>s:Client</faultcode><detail><UPnPError><errorCode>" +
                        std::to_string(code) + "</errorCode></UPnPError></detail></s:Fault>");
    }
    std::string answer(const std::string &request, bool &is_fault)
    {
        const auto asks = [&](const char *action) {
            return request.find(std::string("<u:") + action) != std::string::npos;
        };
        if (request.rfind("GET ", 0) == 0) return described();
        const std::lock_guard<std::mutex> lock(_mutex);
        const std::string external = element(request, "NewExternalPort");
        if (asks("GetExternalIPAddress"))
            return envelope("<u:R><NewExternalIPAddress>203.0.113.8</NewExternalIPAddress></u:R>");
        if (asks("DeletePortMapping")) {
            _actions.push_back("Delete " + external);
            return envelope("<u:R/>");
        }
        const std::string lifetime = element(request, "NewLeaseDuration");
        _actions.push_back("Add " + element(request, "NewInternalPort") + " " + external + " " +
                           lifetime);
        const int code = only_permanent && lifetime != "0" ? 725 : error;
        is_fault = code != 0;
        return is_fault ? fault(code) : envelope("<u:R/>");
    }
    // A connection carries one request.
    void serve(int connection)
    {
        std::string request;
        size_t wanted = std::string::npos;
        char bytes[4096];
        while (request.size() < wanted && is_readable(connection)) {
            const ssize_t size = read(connection, bytes, sizeof bytes);
            if (size <= 0) break;
            request.append(bytes, static_cast<size_t>(size));
            const size_t head = request.find("\r\n\r\n"), at = request.find("Content-Length: ");
            if (head == std::string::npos) continue;
            wanted = head + 4 + (at == std::string::npos ? 0 : std::stoul(request.substr(at + 16)));
        }
        bool is_fault = false;
        const std::string body = answer(request, is_fault);
        const std::string response =
            std::string("HTTP/1.1 ") + (is_fault ? "500 Error" : "200 OK") +
            "\r\nContent-Type: text/xml\r\nConnection: close\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body;
        send(connection, response.data(), response.size(), MSG_NOSIGNAL);
        close(connection);
    }
};

}
