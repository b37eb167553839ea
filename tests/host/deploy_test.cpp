// The files of deploy/ are well-formed, use only fields that exist, and agree with each other and
// with the options of tern-host. No cluster and no container engine takes part, so it is not tested
// whether they accept the files.
#include "host/options/options_table.h"
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>

using namespace dedicated;

namespace {

std::string read(const std::string &file)
{
    std::ifstream in(std::string(TERN_SOURCE_DIR) + "/deploy/" + file);
    std::ostringstream out;
    out << in.rdbuf();
    EXPECT_FALSE(out.str().empty()) << file;
    return out.str();
}

// Scalars by path, such as "spec.ports[0].name", without quotes; "" for mappings and sequences.
using Values = std::map<std::string, std::string>;

struct Level {
    size_t indent;
    std::string path;
    int items; // Number of items; -1: not a sequence.
};

std::string unquoted(const std::string &text)
{
    const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
    return is_quoted ? text.substr(1, text.size() - 2) : text;
}

// Reads the part of YAML that these files use: mappings and sequences by indentation, plain and
// quoted words. Anything else fails the test.
Values read_yaml(const std::string &file)
{
    static const std::regex entry(R"(( *)((?:- )*)([A-Za-z0-9_./-]+):(?: (\S.*))?)");
    static const std::regex word(R"(( *)- ([A-Za-z0-9_.]+))");
    Values out;
    std::vector<Level> levels = {{0, "", -1}};
    std::istringstream in(read(file));
    size_t number = 0;
    for (std::string line; std::getline(in, line);) {
        number += 1;
        const std::string where = file + ":" + std::to_string(number) + ": " + line;
        if (line.find_first_not_of(' ') == std::string::npos) continue;
        if (line[line.find_first_not_of(' ')] == '#') continue;
        EXPECT_EQ(line.find_first_of("\t\r{}[]&*!|>'"), std::string::npos) << where;
        std::smatch match;
        const bool is_word = std::regex_match(line, match, word);
        if (!is_word && !std::regex_match(line, match, entry)) {
            ADD_FAILURE() << where;
            continue;
        }
        size_t indent = match[1].str().size();
        EXPECT_EQ(indent % 2, 0u) << where;
        while (levels.size() > 1 && levels.back().indent > indent)
            levels.pop_back();
        const bool begins_item = is_word || !match[2].str().empty();
        if (begins_item && levels.back().indent != indent) {
            ADD_FAILURE() << where;
            continue;
        }
        EXPECT_EQ(levels.back().indent, indent) << where;
        std::string path = levels.back().path;
        if (begins_item) {
            levels.back().items += 1;
            path += "[" + std::to_string(levels.back().items) + "]";
            indent += 2;
        }
        if (is_word) {
            out[path] = match[2];
            continue;
        }
        if (begins_item) levels.push_back({indent, path, -1});
        const std::string key = (path.empty() ? "" : path + ".") + match[3].str();
        EXPECT_FALSE(out.contains(key)) << where;
        out[key] = unquoted(match[4]);
        if (!match[4].matched) levels.push_back({indent + 2, key, -1});
    }
    return out;
}

std::string without_indices(const std::string &path)
{
    return std::regex_replace(path, std::regex(R"(\[\d+\])"), "");
}

// The values under `prefix`, with the prefix removed from their paths.
Values under(const Values &values, const std::string &prefix)
{
    Values out;
    for (const auto &[path, value] : values)
        if (path.starts_with(prefix)) out[path.substr(prefix.size())] = value;
    return out;
}

// The fields of agones.dev/v1, and of pods of Kubernetes.
const std::set<std::string> game_server_fields = {
    "ports",
    "ports.name",
    "ports.portPolicy",
    "ports.protocol",
    "health",
    "health.initialDelaySeconds",
    "health.periodSeconds",
    "health.failureThreshold",
    "sdkServer",
    "sdkServer.httpPort",
    "eviction",
    "eviction.safe",
    "counters",
    "counters.rooms",
    "counters.rooms.count",
    "counters.rooms.capacity",
    "lists",
    "lists.players",
    "lists.players.capacity",
    "template",
    "template.spec",
    "template.spec.terminationGracePeriodSeconds",
    "template.spec.securityContext",
    "template.spec.securityContext.runAsNonRoot",
    "template.spec.securityContext.runAsUser",
    "template.spec.securityContext.runAsGroup",
    "template.spec.securityContext.fsGroup",
    "template.spec.securityContext.seccompProfile",
    "template.spec.securityContext.seccompProfile.type",
    "template.spec.containers",
    "template.spec.containers.name",
    "template.spec.containers.image",
    "template.spec.containers.env",
    "template.spec.containers.env.name",
    "template.spec.containers.env.value",
    "template.spec.containers.ports",
    "template.spec.containers.ports.name",
    "template.spec.containers.ports.containerPort",
    "template.spec.containers.ports.protocol",
    "template.spec.containers.resources",
    "template.spec.containers.resources.requests",
    "template.spec.containers.resources.requests.cpu",
    "template.spec.containers.resources.requests.memory",
    "template.spec.containers.resources.limits",
    "template.spec.containers.resources.limits.memory",
    "template.spec.containers.securityContext",
    "template.spec.containers.securityContext.allowPrivilegeEscalation",
    "template.spec.containers.securityContext.readOnlyRootFilesystem",
    "template.spec.containers.securityContext.capabilities",
    "template.spec.containers.securityContext.capabilities.drop",
    "template.spec.containers.volumeMounts",
    "template.spec.containers.volumeMounts.name",
    "template.spec.containers.volumeMounts.mountPath",
    "template.spec.volumes",
    "template.spec.volumes.name",
    "template.spec.volumes.emptyDir",
    "template.spec.volumes.emptyDir.medium",
    "template.spec.volumes.emptyDir.sizeLimit"};

const std::set<std::string> fleet_fields = {"replicas",
                                            "scheduling",
                                            "strategy",
                                            "strategy.type",
                                            "strategy.rollingUpdate",
                                            "strategy.rollingUpdate.maxSurge",
                                            "strategy.rollingUpdate.maxUnavailable",
                                            "template",
                                            "template.metadata",
                                            "template.metadata.labels",
                                            "template.metadata.labels.app",
                                            "template.spec"};
const std::set<std::string> autoscaler_fields = {"fleetName",
                                                 "policy",
                                                 "policy.type",
                                                 "policy.list",
                                                 "policy.list.key",
                                                 "policy.list.bufferSize",
                                                 "policy.list.minCapacity",
                                                 "policy.list.maxCapacity",
                                                 "sync",
                                                 "sync.type",
                                                 "sync.fixedInterval",
                                                 "sync.fixedInterval.seconds"};
const std::set<std::string> allocation_fields = {"scheduling",
                                                 "priorities",
                                                 "priorities.type",
                                                 "priorities.key",
                                                 "priorities.order",
                                                 "selectors",
                                                 "selectors.matchLabels",
                                                 "selectors.matchLabels.agones.dev/fleet",
                                                 "selectors.gameServerState",
                                                 "selectors.lists",
                                                 "selectors.lists.players",
                                                 "selectors.lists.players.minAvailable"};

void expect_fields(const Values &values, const std::string &prefix,
                   const std::set<std::string> &known)
{
    for (const auto &[path, value] : under(values, prefix))
        EXPECT_TRUE(known.contains(without_indices(path))) << prefix << path;
}

// The container's environment variables.
Values environment(const Values &game_server)
{
    Values out;
    const std::string prefix = "template.spec.containers[0].env[";
    for (const auto &[path, value] : game_server)
        if (path.starts_with(prefix) && path.ends_with(".name"))
            out[value] = game_server.at(path.substr(0, path.size() - 4) + "value");
    return out;
}

// The options of tern-host in this environment.
Options options_of(const Values &environment)
{
    Options out;
    for (const auto &[name, value] : environment) {
        const Option *found = nullptr;
        for (const Option &each : option::all())
            if (option::environment(each) == name) found = &each;
        EXPECT_TRUE(found) << name;
        if (!found) continue;
        EXPECT_TRUE(option::set(out, out.rooms[0], *found, option::parse(*found, value)))
            << name << "=" << value;
    }
    return out;
}

// The environment that the image sets: NAME=value, on several lines.
Values image_environment(const std::string &dockerfile)
{
    Values out;
    static const std::regex variable(R"((TERN_HOST_[A-Z_]+)=([^\s\\]+))");
    const size_t begin = dockerfile.find("\nENV ");
    const size_t end = dockerfile.find("\nEXPOSE");
    const std::string text = dockerfile.substr(begin, end - begin);
    for (std::sregex_iterator it(text.begin(), text.end(), variable), last; it != last; ++it)
        out[it->str(1)] = it->str(2);
    return out;
}

std::string port_of(const std::string &listen)
{
    return listen.substr(listen.rfind(':') + 1);
}

}

TEST(DeployTest, TheYamlReaderReads)
{
    const Values values = read_yaml("agones/gameserver.yaml");
    EXPECT_EQ(values.at("apiVersion"), "agones.dev/v1");
    EXPECT_EQ(values.at("kind"), "GameServer");
    EXPECT_EQ(values.at("spec.ports[0].name"), "main");
    EXPECT_EQ(values.at("spec.template.spec.containers[0].securityContext.capabilities.drop[0]"),
              "ALL");
    EXPECT_EQ(values.at("spec.template.spec.volumes[0].emptyDir.medium"), "Memory");
}

TEST(DeployTest, TheGameServerAgreesWithTheHost)
{
    const Values values = read_yaml("agones/gameserver.yaml");
    expect_fields(values, "spec.", game_server_fields);
    const Values spec = under(values, "spec.");
    const Options options = options_of(environment(spec));
    EXPECT_TRUE(options.agones);
    EXPECT_EQ(spec.at("ports[0].portPolicy"), "Passthrough");
    EXPECT_EQ(spec.at("ports[0].name"), options.rooms[0].name);
    EXPECT_EQ(spec.at("ports[0].protocol"), "UDP");
    EXPECT_EQ(spec.at("sdkServer.httpPort"), std::to_string(options.agones_port));
    // Agones requires an end within ten minutes of a SIGTERM.
    EXPECT_EQ(spec.at("eviction.safe"), "Always");
    const int grace_s = std::stoi(spec.at("template.spec.terminationGracePeriodSeconds"));
    EXPECT_LT(grace_s, 600);
    EXPECT_GE(grace_s, static_cast<int>(options.drain_timeout_s) + 15);
    EXPECT_EQ(spec.at("lists.players.capacity"), std::to_string(options.rooms[0].peers_max - 1));
    EXPECT_EQ(spec.at("counters.rooms.capacity"), std::to_string(options.rooms.size()));
    EXPECT_EQ(spec.at("template.spec.containers[0].ports[0].containerPort"),
              port_of(options.http_listen));
    // The default, loopback, is reachable from inside the pod only.
    EXPECT_NE(options.http_listen, Options().http_listen);
}

TEST(DeployTest, TheFleetIsMadeOfTheSameGameServer)
{
    const Values fleet = read_yaml("agones/fleet.yaml");
    EXPECT_EQ(fleet.at("apiVersion"), "agones.dev/v1");
    EXPECT_EQ(fleet.at("kind"), "Fleet");
    EXPECT_EQ(under(fleet, "spec.template.spec."),
              under(read_yaml("agones/gameserver.yaml"), "spec."));
    Values rest = fleet;
    std::erase_if(rest,
                  [](const auto &each) { return each.first.starts_with("spec.template.spec."); });
    expect_fields(rest, "spec.", fleet_fields);
}

TEST(DeployTest, AutoscalerAndAllocationMeanTheFleet)
{
    const Values autoscaler = read_yaml("agones/autoscaler.yaml");
    const Values fleet = read_yaml("agones/fleet.yaml");
    const std::string name = fleet.at("metadata.name");
    expect_fields(autoscaler, "spec.", autoscaler_fields);
    EXPECT_EQ(autoscaler.at("apiVersion"), "autoscaling.agones.dev/v1");
    EXPECT_EQ(autoscaler.at("kind"), "FleetAutoscaler");
    EXPECT_EQ(autoscaler.at("spec.fleetName"), name);
    EXPECT_EQ(autoscaler.at("spec.policy.type"), "List");
    EXPECT_EQ(autoscaler.at("spec.policy.list.key"), "players");
    const int places = std::stoi(fleet.at("spec.template.spec.lists.players.capacity"));
    const auto number = [&](const char *key) {
        return std::stoi(autoscaler.at(std::string("spec.policy.list.") + key));
    };
    EXPECT_EQ(number("minCapacity"), places * std::stoi(fleet.at("spec.replicas")));
    EXPECT_GE(number("bufferSize"), 1);
    EXPECT_GT(number("maxCapacity"), number("minCapacity"));

    const Values allocation = read_yaml("agones/allocation.yaml");
    expect_fields(allocation, "spec.", allocation_fields);
    EXPECT_EQ(allocation.at("apiVersion"), "allocation.agones.dev/v1");
    EXPECT_EQ(allocation.at("kind"), "GameServerAllocation");
    EXPECT_EQ(allocation.at("spec.selectors[0].gameServerState"), "Allocated");
    EXPECT_EQ(allocation.at("spec.selectors[1].gameServerState"), "Ready");
    for (const char *selector : {"spec.selectors[0].", "spec.selectors[1]."}) {
        EXPECT_EQ(allocation.at(selector + std::string("matchLabels.agones.dev/fleet")), name);
        EXPECT_EQ(allocation.at(selector + std::string("lists.players.minAvailable")), "1");
    }
}

TEST(DeployTest, TheImageAgreesWithTheHost)
{
    const std::string dockerfile = read("Dockerfile");
    const Options options = options_of(image_environment(dockerfile));
    const auto has = [&](const std::string &text) {
        return dockerfile.find("\n" + text) != std::string::npos;
    };
    EXPECT_TRUE(has("FROM debian:12-slim AS build\n"));
    EXPECT_TRUE(has("ENTRYPOINT [\"tern-host\"]\n"));
    EXPECT_TRUE(has("STOPSIGNAL SIGTERM\n"));
    EXPECT_TRUE(has("EXPOSE " + std::to_string(options.rooms[0].port) + "/udp " +
                    port_of(options.http_listen) + "/tcp\n"));
    EXPECT_EQ(options.control_socket, "/run/tern/host.sock"); // The default path of tern-ctl.
    EXPECT_EQ(options.log_format, LogFormat::json);
    EXPECT_NE(dockerfile.find("CMD [\"tern-ctl\", \"status\"]"), std::string::npos);

    const Values spec = under(read_yaml("agones/gameserver.yaml"), "spec.");
    const std::string user = spec.at("template.spec.securityContext.runAsUser");
    EXPECT_TRUE(has("USER " + user + ":" + user + "\n"));
    EXPECT_EQ(spec.at("template.spec.containers[0].volumeMounts[0].mountPath") + "/host.sock",
              options.control_socket);
}

TEST(DeployTest, TheBuildGetsAllThatItNeeds)
{
    // The build context has every folder except tests, documents and the like, and lists no missing
    // one.
    std::set<std::string> given;
    std::istringstream in(read("../.dockerignore"));
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("!")) given.insert(line.substr(1));
    for (const std::string &name : given)
        EXPECT_TRUE(std::ifstream(std::string(TERN_SOURCE_DIR) + "/" + name).good()) << name;
    for (const char *name : {"CMakeLists.txt", "base", "cmake", "host", "include", "migration",
                             "programs", "replication", "rpc", "session", "sim", "transport"})
        EXPECT_TRUE(given.contains(name)) << name;
}
