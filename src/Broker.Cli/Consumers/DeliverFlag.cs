using System.CommandLine;
using System.Globalization;
using Broker.Client.Streams;

namespace Broker.Cli.Consumers;

/// <summary>The flag <c>--deliver</c>: the first message of a consumer.</summary>
internal static class DeliverFlag
{
    public static Option<ConsumerConfig?> Create() => new("--deliver")
    {
        Description = "First message: all, last, new, subject (the last one of each subject), a sequence, a time such as 1h, or 2026-01-31T12:00:00Z [default: all]",
        HelpName = "first",
        CustomParser = static result =>
        {
            string text = result.Tokens[0].Value;
            ConsumerConfig? start = Parse(text);
            if (start is null)
            {
                result.AddError($"--deliver must be all, last, new, subject, a sequence, a time such as 1h, or a date such as 2026-01-31T12:00:00Z, not \"{text}\"");
            }

            return start;
        },
    };

    /// <summary>Returns the configuration with the first message of the flag.</summary>
    public static ConsumerConfig Over(ConsumerConfig config, ConsumerConfig? start) => start is null
        ? config
        : config with { DeliverPolicy = start.DeliverPolicy, StartSequence = start.StartSequence, StartTime = start.StartTime };

    private static ConsumerConfig? Parse(string text) => text switch
    {
        "all" => new ConsumerConfig { DeliverPolicy = DeliverPolicy.All },
        "last" => new ConsumerConfig { DeliverPolicy = DeliverPolicy.Last },
        "new" => new ConsumerConfig { DeliverPolicy = DeliverPolicy.New },
        "subject" => new ConsumerConfig { DeliverPolicy = DeliverPolicy.LastPerSubject },
        _ when ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ulong sequence) && sequence > 0
            => new ConsumerConfig { DeliverPolicy = DeliverPolicy.FromSequence, StartSequence = sequence },
        _ when Moment.TryParse(text, isPast: true, out DateTimeOffset time) => new ConsumerConfig { DeliverPolicy = DeliverPolicy.FromTime, StartTime = time },
        _ => null,
    };
}
