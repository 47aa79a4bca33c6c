using System.CommandLine;
using Broker.ZeroMqLoad.Comparing;
using Broker.ZeroMqLoad.Ends;

namespace Broker.ZeroMqLoad;

/// <summary>The arguments, and what is done with them.</summary>
internal static class CommandLine
{
    public static RootCommand Create() => new("Measures ZeroMQ links.") { CreateEnd(), CreateCompare() };

    private static Command CreateEnd()
    {
        var role = new Argument<Role>("role") { Description = "What this end is." };
        var endpoint = new Argument<string>("endpoint") { Description = "Where, such as tcp://127.0.0.1:5555." };
        var back = new Option<string>("--back") { Description = "Where pullers connect, for a forwarder; its endpoint is where pushers do." };
        var bind = new Option<bool>("--bind") { Description = "Binds; otherwise connects." };
        var count = new Option<int>("--count", "-n") { Description = "Messages that are measured; for a publisher milliseconds.", DefaultValueFactory = _ => 5_000_000 };
        var warm = new Option<int>("--warm") { Description = "Messages before those.", DefaultValueFactory = _ => 2_000_000 };
        var size = new Option<int>("--size", "-s") { Description = "Octets of a message.", DefaultValueFactory = _ => 64 };
        var vary = new Option<bool>("--vary") { Description = "Sizes from 0 to that, at random." };
        var loop = new Option<bool>("--loop") { Description = "Loop sockets; otherwise those for threads." };
        var mark = new Option<int>("--mark") { Description = "The high-water mark.", DefaultValueFactory = _ => 1000 };
        var attempts = new Option<int>("--attempts") { Description = "How often a receive looks before its thread sleeps." };
        var turn = new Option<bool>("--turn") { Description = "Of an asking or answering end the thread turns the loop itself." };
        var peers = new Option<int>("--peers") { Description = "How many subscribers.", DefaultValueFactory = _ => 1 };
        var pattern = new Option<Pattern>("--pattern") { Description = "What a bridge is for. Without --back a native program in its process publishes or subscribes." };
        var topics = new Option<int>("--topics") { Description = "How many topics a native publisher has." };
        var publish = new Option<bool>("--publish") { Description = "Whether the native program of a bridge publishes; otherwise it subscribes." };
        var end = new Command("end", "One end of a ZeroMQ link: prints the rate and this process's processor time per message.")
        {
            role, endpoint, back, bind, count, warm, size, vary, loop, mark, attempts, turn, peers, pattern, topics, publish,
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
            Turns = parsed.GetValue(turn),
            Peers = parsed.GetValue(peers),
            Pattern = parsed.GetValue(pattern),
            Topics = parsed.GetValue(topics),
            Publishes = parsed.GetValue(publish),
        }.Run());
        return end;
    }

    private static Command CreateCompare()
    {
        var rounds = new Option<int>("--rounds") { Description = "How often each variant is measured.", DefaultValueFactory = _ => 5 };
        var rows = new Option<string[]>("--rows") { Description = "Only rows whose names begin with one of these, separated by commas." };
        rows.CustomParser = result => [.. result.Tokens.SelectMany(token => token.Value.Split(','))];
        rows.Validators.Add(result =>
        {
            if (Catalogue.FindUnknown(result.GetValueOrDefault<string[]>() ?? []) is { } unknown)
            {
                result.AddError($"No row begins with '{unknown}'. There are: {string.Join(", ", Catalogue.All.Select(row => row.Name))}.");
            }
        });
        var compare = new Command("compare", "Our sockets beside libzmq's, in turn, each process on a processor of its own; prints medians. Needs cc and libzmq's headers.")
        {
            rounds, rows,
        };
        compare.SetAction(parsed => Comparison.Run(Catalogue.Select(parsed.GetValue(rows) ?? [""]), parsed.GetValue(rounds)));
        return compare;
    }
}
