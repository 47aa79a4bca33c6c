using System.CommandLine;
using Broker.ZeroMqLoad.Comparing;
using Broker.ZeroMqLoad.Ends;

namespace Broker.ZeroMqLoad;

/// <summary>Parses the arguments and runs the commands.</summary>
internal static class CommandLine
{
    public static RootCommand Create() => new("Measures ZeroMQ links.") { CreateEnd(), CreateCompare() };

    private static Command CreateEnd()
    {
        var role = new Argument<Role>("role") { Description = "The role of this end." };
        var endpoint = new Argument<string>("endpoint") { Description = "The endpoint, such as tcp://127.0.0.1:5555." };
        var back = new Option<string>("--back")
        {
            Description = "The endpoint for pullers, if this end is a forwarder. Pushers use the first endpoint.",
        };
        var bind = new Option<bool>("--bind") { Description = "Bind to the endpoint instead of connecting." };
        var count = new Option<int>("--count", "-n")
        {
            Description = "The number of measured messages; for a publisher, the duration in milliseconds.",
            DefaultValueFactory = _ => 5_000_000,
        };
        var warm = new Option<int>("--warm")
        {
            Description = "The number of messages before the measurement.",
            DefaultValueFactory = _ => 2_000_000,
        };
        var size = new Option<int>("--size", "-s")
        {
            Description = "The size of a message in octets.",
            DefaultValueFactory = _ => 64,
        };
        var vary = new Option<bool>("--vary") { Description = "Use random sizes from 0 to the size." };
        var loop = new Option<bool>("--loop") { Description = "Use loop sockets instead of thread-safe sockets." };
        var mark = new Option<int>("--mark") { Description = "The high-water mark.", DefaultValueFactory = _ => 1000 };
        var attempts = new Option<int>("--attempts")
        {
            Description = "The number of attempts of a receive before its thread sleeps.",
        };
        var runLoop = new Option<bool>("--run-loop")
        {
            Description = "Let the requesting or replying thread run the loop's iterations itself.",
        };
        var peers = new Option<int>("--peers") { Description = "The number of subscribers.", DefaultValueFactory = _ => 1 };
        var pattern = new Option<Pattern>("--pattern")
        {
            Description = "The pattern of a bridge. Without --back, a native program in its process publishes or subscribes.",
        };
        var topics = new Option<int>("--topics") { Description = "The number of topics of a native publisher." };
        var publish = new Option<bool>("--publish")
        {
            Description = "Let the native program of a bridge publish instead of subscribing.",
        };
        var netMq = new Option<NetMqForm?>("--netmq") { Description = "Use NetMQ's sockets: with an array for each message, or with one Msg." };
        var port = new Option<int>("--port") { Description = "The port of the broker of a bridge; any port by default." };
        var arrays = new Option<bool>("--arrays") { Description = "Let a puller receive each message as an array." };
        var end = new Command("end", "One end of a ZeroMQ link: prints the rate and this process's processor time per message.")
        {
            role, endpoint, back, bind, count, warm, size, vary, loop, mark, attempts, runLoop, peers, pattern, topics, publish, netMq, arrays, port,
        };
        end.SetAction(parsed => new Load
        {
            Role = parsed.GetValue(role),
            Endpoint = parsed.GetValue(endpoint)!,
            Back = parsed.GetValue(back),
            Binds = parsed.GetValue(bind),
            Count = parsed.GetValue(count),
            WarmUp = parsed.GetValue(warm),
            Size = parsed.GetValue(size),
            Varies = parsed.GetValue(vary),
            IsOnLoop = parsed.GetValue(loop),
            Mark = parsed.GetValue(mark),
            Attempts = parsed.GetValue(attempts),
            RunsLoop = parsed.GetValue(runLoop),
            Peers = parsed.GetValue(peers),
            Pattern = parsed.GetValue(pattern),
            Topics = parsed.GetValue(topics),
            Publishes = parsed.GetValue(publish),
            NetMq = parsed.GetValue(netMq),
            TakesArrays = parsed.GetValue(arrays),
            Port = parsed.GetValue(port),
        }.Run());
        return end;
    }

    private static Command CreateCompare()
    {
        var rounds = new Option<int>("--rounds")
        {
            Description = "The number of measurements of each variant.",
            DefaultValueFactory = _ => 5,
        };
        var rows = new Option<string[]>("--rows")
        {
            Description = "Measure only the rows whose names begin with one of these prefixes, separated by commas.",
        };
        rows.CustomParser = result => [.. result.Tokens.SelectMany(token => token.Value.Split(','))];
        rows.Validators.Add(result =>
        {
            if (Catalogue.FindUnknown(result.GetValueOrDefault<string[]>() ?? []) is { } unknown)
            {
                result.AddError($"No row begins with '{unknown}'. There are: {string.Join(", ", Catalogue.All.Select(row => row.Name))}.");
            }
        });
        var compare = new Command(
            "compare",
            "Compares this project's sockets with libzmq's and NetMQ's, with each process on its own processor, and prints medians. "
            + "It needs cc and libzmq's headers.")
        {
            rounds, rows,
        };
        compare.SetAction(parsed => Comparison.Run(Catalogue.Select(parsed.GetValue(rows) ?? []), parsed.GetValue(rounds)));
        return compare;
    }
}
