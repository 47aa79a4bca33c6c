using System.CommandLine;
using System.Globalization;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Consumers;

/// <summary><c>broker consumer ls</c>.</summary>
internal sealed class ConsumerListCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker consumer ls ORDERS
          broker consumer ls ORDERS --names
        """;

    private static readonly Listing<ConsumerInfo> Consumers = new(
        static consumer => consumer.Name,
        ConsumerJson.Write,
        static () => new TextTable(3, "consumer", "kind", "filter", "not delivered", "waiting for ack", "redelivered"),
        static consumer =>
        [
            consumer.Name,
            ConsumerFacts.Kind(consumer.Config),
            string.Join(", ", ConsumerFacts.Filters(consumer.Config)),
            consumer.Pending.ToString(CultureInfo.InvariantCulture),
            consumer.AckPending.ToString(CultureInfo.InvariantCulture),
            consumer.Redelivered.ToString(CultureInfo.InvariantCulture),
        ]);

    private readonly Argument<string> _stream = StreamArguments.Name("stream", "Name of the stream");
    private readonly Option<bool> _names = StreamArguments.Names();
    private readonly Option<bool> _json = StreamArguments.JsonLines();

    public Command Build() => StreamsCommand.Complete(
        new Command("ls", "Lists the consumers of a stream.").WithAliases("list").With(_stream, _names, _json), shell, Examples, ListAsync);

    private async Task<int> ListAsync(StreamsRun run, ParseResult flags)
    {
        var consumers = new List<ConsumerInfo>();
        await foreach (ConsumerInfo consumer in run.Streams.ListConsumersAsync(flags.GetRequiredValue(_stream), run.Stop))
        {
            consumers.Add(consumer);
        }

        Consumers.Print(shell, flags, consumers, _names, _json);
        if (consumers.Count == 0)
        {
            shell.Say("no consumers");
        }

        return ExitCode.Success;
    }
}
