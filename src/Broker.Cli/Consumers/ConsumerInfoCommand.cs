using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Consumers;

/// <summary><c>broker consumer info</c>.</summary>
internal sealed class ConsumerInfoCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker consumer info ORDERS billing
          broker consumer info ORDERS billing --json | jq .num_pending
        """;

    private readonly ConsumerArguments _names = new();
    private readonly Option<bool> _json = StreamArguments.Json();

    public Command Build() => StreamsCommand.Complete(
        _names.AddTo(new Command("info", "Shows the configuration and the progress of a consumer.")).With(_json), shell, Examples, ShowAsync);

    /// <summary>Prints a consumer for the reader or, as JSON, for a script.</summary>
    public static void Print(ShellStreams shell, ConsumerInfo consumer, bool isJson)
    {
        if (isJson)
        {
            ApiJson.Print(shell, json => ConsumerJson.Write(json, consumer));
        }
        else
        {
            ConsumerFacts.Of(consumer).WriteTo(shell);
        }
    }

    private async Task<int> ShowAsync(StreamsRun run, ParseResult flags)
    {
        Print(shell, await run.Streams.GetConsumerInfoAsync(_names.Stream(flags), _names.Consumer(flags), run.Stop), flags.GetValue(_json));
        return ExitCode.Success;
    }
}
