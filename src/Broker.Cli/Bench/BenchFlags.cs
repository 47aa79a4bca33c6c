using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Broker.Cli.Shell;
using Broker.Client;

namespace Broker.Cli.Bench;

/// <summary>The flags of <c>broker bench</c> and its patterns.</summary>
/// <param name="pattern">The pattern, which decides the flags.</param>
/// <param name="isZeroMq">Whether ZeroMQ sockets are measured. They have no subjects.</param>
internal sealed class BenchFlags(BenchPattern pattern, bool isZeroMq = false)
{
    private const int MostConnections = 10_000;
    private const int MostSubjects = 1_000_000;

    private static readonly TimeSpan DefaultTime = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan DefaultWarmUp = TimeSpan.FromSeconds(1);

    private readonly Argument<string?> _subject = new("subject")
    {
        Description = "Subject of the messages [default: a new subject that begins with bench]",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<SizeRange?> _size = new("--size")
    {
        Description = "Size of the bodies, such as 128 or 1KB, or a range, such as 16..4KB [default: 128]",
        HelpName = "bytes",
        CustomParser = ParseSize,
    };

    private readonly Option<long?> _count = CommonOptions.Count("Number of messages of all publishers; without it, the time decides");
    private readonly Option<TimeSpan?> _time = CommonOptions.Time("--time", "How long to measure [default: 5s]");
    private readonly Option<TimeSpan?> _warmUp = CommonOptions.Time("--warm-up", "How long the traffic runs before --time begins [default: 1s]");
    private readonly Option<int?> _publishers = Number(
        pattern == BenchPattern.Request ? "--requesters" : isZeroMq ? "--senders" : "--publishers",
        pattern == BenchPattern.Request ? "Connections that send requests [default: 1]"
            : isZeroMq ? "Sockets that send [default: 1]" : "Connections that publish [default: 1]",
        MostConnections);

    private readonly Option<int?> _subscribers = Number(
        pattern == BenchPattern.Request ? "--responders" : isZeroMq ? "--receivers" : "--subscribers",
        pattern == BenchPattern.Request ? "Connections that reply, and share the requests [default: 1]"
            : isZeroMq ? "Sockets that receive [default: 1]" : "Connections that subscribe [default: 1]",
        MostConnections);

    private readonly Option<string?> _queue = new("--queue")
    {
        Description = "Queue group of the subscribers: each message goes to one of them",
        HelpName = "name",
    };

    private readonly Option<int?> _subjects = Number("--subjects", "Number of subjects, which are used in random order [default: 1]", MostSubjects);
    private readonly Option<int?> _inFlight = Number("--in-flight", "Requests of each connection that wait for a reply at once [default: 1]", MostConnections);
    private readonly Option<int?> _rounds = Number("--rounds", "How often to measure; the median is shown too [default: 1, with --compare 3]", MostConnections);

    private readonly Option<string[]> _compare = new("--compare")
    {
        Description = "URL of another server that is measured in turn with the first; may be repeated",
        HelpName = "url",
        Arity = ArgumentArity.OneOrMore,
        AllowMultipleArgumentsPerToken = false,
    };

    private readonly Option<bool> _json = new("--json") { Description = "Print each result as a JSON object on one line" };
    private readonly Option<string?> _csv = new("--csv") { Description = "Write all results to a CSV file, which is replaced", HelpName = "file" };
    private readonly Option<string?> _plot = new("--plot") { Description = "Draw the results into an SVG file, which is replaced", HelpName = "file" };

    /// <summary>Adds the flags that the pattern has.</summary>
    public void AddTo(Command command)
    {
        if (isZeroMq)
        {
            foreach (Option option in (Option[])[_size, _count, _time, _warmUp, _publishers, _subscribers, _rounds, _json, _csv, _plot])
            {
                command.Options.Add(option);
            }

            return;
        }

        command.Arguments.Add(_subject);
        Option[] own = pattern switch
        {
            BenchPattern.Publish => [_publishers],
            BenchPattern.PublishAndSubscribe => [_publishers, _subscribers, _queue],
            _ => [_publishers, _subscribers, _inFlight],
        };
        foreach (Option option in (Option[])[_size, _count, _time, _warmUp, .. own, _subjects, _rounds, _compare, _json, _csv, _plot])
        {
            command.Options.Add(option);
        }
    }

    /// <exception cref="UsageException">Flags conflict.</exception>
    public BenchSettings Read(ParseResult flags)
    {
        long? count = flags.GetValue(_count);
        if (count is not null && (flags.GetValue(_time) ?? flags.GetValue(_warmUp)) is not null)
        {
            throw new UsageException("--count cannot be combined with --time or --warm-up");
        }

        return new BenchSettings
        {
            Pattern = pattern,
            Subject = flags.GetValue(_subject) ?? BrokerConnection.NewInbox("bench"),
            Subjects = flags.GetValue(_subjects) ?? 1,
            Size = flags.GetValue(_size) ?? new SizeRange(128, 128),
            Publishers = flags.GetValue(_publishers) ?? 1,
            Subscribers = pattern == BenchPattern.Publish ? 0 : flags.GetValue(_subscribers) ?? 1,
            Queue = pattern == BenchPattern.PublishAndSubscribe ? flags.GetValue(_queue) : null,
            InFlight = pattern == BenchPattern.Request ? flags.GetValue(_inFlight) ?? 1 : 1,
            Count = count,
            Time = flags.GetValue(_time) ?? DefaultTime,
            WarmUp = flags.GetValue(_warmUp) ?? DefaultWarmUp,
            Rounds = flags.GetValue(_rounds) ?? (Compared(flags).Length > 0 ? 3 : 1),
        };
    }

    /// <summary>The servers to compare with.</summary>
    public string[] Compared(ParseResult flags) => flags.GetValue(_compare) ?? [];

    public BenchOutputs Outputs(ParseResult flags) => new(flags.GetValue(_json), flags.GetValue(_csv), flags.GetValue(_plot));

    private static Option<int?> Number(string name, string what, int most) => new(name)
    {
        Description = what,
        HelpName = "number",
        CustomParser = result => ParseNumber(result, most),
    };

    private static int? ParseNumber(ArgumentResult result, int most)
    {
        string text = result.Tokens[0].Value;
        if (int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number > 0 && number <= most)
        {
            return number;
        }

        result.AddError(string.Create(
            CultureInfo.InvariantCulture, $"{Name(result)} must be a whole number from 1 to {most}, not \"{text}\""));
        return null;
    }

    private static SizeRange? ParseSize(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (SizeRange.TryParse(text, out SizeRange range))
        {
            return range;
        }

        result.AddError($"{Name(result)} must be a size such as 128 or 1KB, or a range such as 16..4KB, not \"{text}\"");
        return null;
    }

    private static string Name(ArgumentResult result) => ((OptionResult)result.Parent!).Option.Name;
}
