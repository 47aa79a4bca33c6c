using System.Text.Json;
using Broker.Bridge;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Broker.Hosting.Tests;

/// <summary>
/// Each key of a configured route: a start accepts it, it changes the route, and an error names a wrong value.
/// </summary>
public sealed class HostedRouteKeysTests
{
    private const string Route = "ZeroMqBridge:Routes:r:";
    private const string Any = "tcp://127.0.0.1:*";

    // The required keys of each pattern, as in the configuration file.
    private static readonly Dictionary<string, string> Needed = new(StringComparer.Ordinal)
    {
        ["pubsub"] = $"Publishers={Any}",
        ["request"] = $"Endpoint={Any};Subject=a",
        ["worker"] = $"Endpoint={Any};Subject=a",
        ["pushpull"] = $"Pushers={Any};Subject=a",
        ["dealer"] = $"Endpoint={Any};ToSubject=a;FromSubject=b",
        ["stream"] = $"Pushers={Any};Subject=a;Stream:Name=s;StopTimeout=00:00:00.1",
        ["shadow"] = $"Pullers={Any};Subject=a",
    };

    // Key=value=error text. With a star, the error names the route instead of the key.
    private static readonly Dictionary<string, string[]> Keys = new(StringComparer.Ordinal)
    {
        ["pubsub"] =
        [
            $"Subscribers={Any}=dial x", "Topics=a", "Prefix=plant=a.*=*", "Delimiter=/=ab", "SingleFrameDelimiter=,=ab", "MaxSingleFrameTopic=64=-1", "MaxSubjectLength=100=35", "MaxTopicBytes=1000=0", "MaxFrames=10=0",
            "VerifyTopic=false=1", "RefuseForeignSubjects=true=1", "MaxPrefixes=10=-1", "MaxPrefixMemory=1000=-1", "MaxFilters=0=-1", "Echo=false=1", "SendHighWaterMark=65536=5",
            "MaxMessageSize=2048=0", "MaxPeers=5=none", "Heartbeat=00:00:05=0:0:0", "AcceptBridges=true=yes", "TraceFrame=true=yes",
            "LastValues:MaxTopics=5=0", "LastValues:MaxBytes=65536=100", "Publishers=tcp://localhost:*=dial x",
        ],
        ["request"] =
        [
            "Endpoint=tcp://localhost:*=dial x", "Subject=b=a b=*", "Prefix=p;Subject=", "Delimiter=/;Prefix=p;Subject==ab", "TimeToLive=00:00:05=soon", "TimeoutReply=late", "NoResponders=drop=x", "NoRespondersReply=nobody",
            "MaxPending=100=2000000", "MaxPendingPerClient=10=0", "MaxKept=1000=0", "MaxPendingBytes=1000=0", "MaxPendingBytesPerClient=1000=0", "ServiceErrorReply=failed", "MaxMessageSize=2048=x", "MaxFrames=10=0", "MaxPeers=5=x", "HighWaterMark=10=0",
            "Heartbeat=00:00:05=-00:00:05",
        ],
        ["worker"] =
        [
            "Endpoint=tcp://localhost:*=dial x", "Subject=b=a b=*", "Prefix=p;Subject=", "Delimiter=/;Prefix=p;Subject==ab", "QueueGroup=g=a b=*", "TimeToLive=00:00:05=soon", "OnWorkerLoss=reply=panic",
            "MaxPending=100=0", "MaxPendingPerWorker=10=0", "Envelope=ready=x", "MaxQueued=1000=0", "Shadow=true=maybe", "MaxMessageSize=2048=x", "MaxFrames=10=0", "MaxPeers=5=x", "HighWaterMark=10=0",
            "Heartbeat=never=0:0:0",
        ],
        ["pushpull"] =
        [
            "Subject=b=a.*=*", "Pushers=tcp://localhost:*=dial x", $"Pullers={Any}=dial x", "Window=10=0", "WindowBytes=1000=0", "MaxQueued=1000=0", "KeepOrder=true=1", "MaxMessageSize=2048=0", "MaxFrames=10=0", "MaxPeers=5=0",
            "HighWaterMark=10=0", "HighWaterBytes=1000=0", "Heartbeat=00:00:05=often", "PeerTimeout=00:00:05=00:00:01", "StopTimeout=00:00:00=x", "ReserveSubjects=false=maybe",
        ],
        ["stream"] =
        [
            "Stream:Name=t=a b=*", "Stream:Consumer=c=a b=*", "Stream:Create=false=x", "Stream:Domain=hub=a b=*", "Stream:Replicas=3=6", "Stream:MaxBytes=1000=x", "Stream:AckWait=00:00:05=00:00:03.5",
        ],
        ["shadow"] = ["Shadow=true=maybe"],
        ["dealer"] =
        [
            "Endpoint=tcp://localhost:*=dial x", "ToSubject=c=a.*=*", "FromSubject=c=a b=*", "QueueGroup=g=a b=*", "CarryIdentities=true=x", "MaxMessageSize=2048=0", "MaxFrames=10=0", "MaxPeers=5=0",
            "HighWaterMark=10=0", "Heartbeat=00:00:05=x",
        ],
    };

    public static TheoryData<string, string, string> Valid => new(
        from pattern in Keys from key in pattern.Value let words = key.Split('=', 2) select (pattern.Key, words[0].Split(';')[0], Line(key)));

    public static TheoryData<string, string, string, bool> Wrong => new(
        from pattern in Keys
        from key in pattern.Value
        let words = Words(key)
        where words.Wrong is not null
        select (pattern.Key, words.Key, words.Wrong, words.NamesRoute));

    [Theory]
    [MemberData(nameof(Valid))]
    public async Task A_start_takes_the_key_and_the_route_is_another_by_it(string pattern, string key, string line)
    {
        Dictionary<string, string?> without = Settings(pattern, "");
        Dictionary<string, string?> with = Settings(pattern, line);

        Assert.True(Read(without) != Read(with), $"{key} changes nothing");
        await using TestHost host = await StartAsync(with);
        Assert.NotNull(host.Services.GetRequiredService<ZeroMqBridge>().Snapshot()["r"]);
    }

    [Theory]
    [MemberData(nameof(Wrong))]
    public async Task A_start_names_a_key_that_is_wrong(string pattern, string key, string value, bool namesRoute)
    {
        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => StartAsync(Settings(pattern, $"{key}={value}")));

        Assert.StartsWith(namesRoute ? Route[..^1] + ": " : $"{Route}{key}: \"{value}\" is not ", Assert.Single(refused.Failures), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("request", "", "/", "of use without Prefix")]
    [InlineData("request", "Prefix=p;Subject=", "ab", "one ASCII character")]
    [InlineData("worker", "", "/", "of use without Prefix")]
    [InlineData("worker", "Prefix=p;Subject=", "ab", "one ASCII character")]
    public async Task A_delimiter_is_one_character_and_stands_beside_a_prefix(string pattern, string beside, string delimiter, string shape)
    {
        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(
            () => StartAsync(Settings(pattern, $"{beside};Delimiter={delimiter}".TrimStart(';'))));

        Assert.StartsWith($"{Route}Delimiter: \"{delimiter}\" is not {shape}", Assert.Single(refused.Failures), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("pubsub", "pubsub")]
    [InlineData("request", "request")]
    [InlineData("worker", "worker")]
    [InlineData("pushpull", "pushpull", "stream", "shadow")]
    [InlineData("dealer", "dealer")]
    public void No_key_of_a_pattern_is_left_out_here(string pattern, params string[] tables)
    {
        var section = new RouteSection(new ConfigurationBuilder().Build().GetSection("route"), []);
        RoutePatterns.Find(pattern)!(section);

        string[] tried = [.. tables.SelectMany(table => Keys[table]).Select(key => Words(key).Key.Split(':')[0]).Distinct(StringComparer.Ordinal)];
        Assert.Equal(section.Known.Order(StringComparer.Ordinal), tried.Order(StringComparer.Ordinal));
    }

    // A line can change other keys too: "Prefix=p;Subject=" is a route with a prefix and without its subject.
    private static (string Key, string? Wrong, bool NamesRoute) Words(string key)
    {
        string[] words = key[(key.LastIndexOf(';') + 1)..].Split('=');
        string name = key.Split('=')[0];
        return key.Contains(';', StringComparison.Ordinal)
            ? (name, words.Length > 2 ? words[2] : null, false)
            : (name, words.Length > 2 ? words[2] : null, words is [.., "*"]);
    }

    private static string Line(string key) => string.Join(';', key.Split(';').Select(part => string.Join('=', part.Split('=').Take(2))));

    private static Dictionary<string, string?> Settings(string pattern, string line)
    {
        var settings = new Dictionary<string, string?>(StringComparer.Ordinal) { [Route + "Pattern"] = pattern is "stream" or "shadow" ? "pushpull" : pattern };
        foreach (string[] pair in $"{Needed[pattern]};{line}".Split(';', StringSplitOptions.RemoveEmptyEntries).Select(part => part.Split('=', 2)))
        {
            settings[Route + pair[0]] = pair[1];
        }

        foreach (string empty in settings.Where(setting => setting.Value is "").Select(setting => setting.Key).ToArray())
        {
            settings.Remove(empty);
        }

        return settings;
    }

    private static string Read(Dictionary<string, string?> settings)
    {
        List<string> problems = [];
        IConfigurationSection section = new ConfigurationBuilder().AddInMemoryCollection(settings).Build().GetSection(Route[..^1]);
        RouteOptions options = RoutePatterns.Find(section["Pattern"])!(new RouteSection(section, problems));
        Assert.Empty(problems);
        string text = JsonSerializer.Serialize(options, options.GetType());

        // A bridge's id differs each time.
        return string.Join(',', text.Split(',').Where(part => !part.Contains("\"BridgeId\"", StringComparison.Ordinal)));
    }

    private static Task<TestHost> StartAsync(Dictionary<string, string?> settings) => TestHost.StartAsync(
        static services => services.AddBroker(static settings => settings.InProcessOnly = true).AddZeroMqBridge(),
        [.. settings.Select(setting => (setting.Key, setting.Value!))]);
}
