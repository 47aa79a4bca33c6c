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

        consumers.Sort(static (a, b) => string.CompareOrdinal(a.Name, b.Name));
        if (consumers.Count == 0)
        {
            shell.Say("no consumers");
        }
        else
        {
            Print(consumers, flags);
        }

        return ExitCode.Success;
    }

    private void Print(List<ConsumerInfo> consumers, ParseResult flags)
    {
        var lines = new LineOutput(shell);
        if (flags.GetValue(_json))
        {
            consumers.ForEach(consumer => ApiJson.Write(lines, json => ConsumerJson.Write(json, consumer)));
            lines.Flush();
            return;
        }

        if (flags.GetValue(_names))
        {
            consumers.ForEach(consumer =>
            {
                lines.Write(ValueText.Of(consumer.Name));
                lines.EndLine();
            });
            lines.Flush();
            return;
        }

        var table = new TextTable(3, "consumer", "kind", "filter", "not delivered", "waiting for ack", "redelivered");
        consumers.ForEach(consumer => table.Add(
            consumer.Name,
            ConsumerFacts.Kind(consumer.Config),
            string.Join(", ", ConsumerFacts.Filters(consumer.Config)),
            consumer.Pending.ToString(CultureInfo.InvariantCulture),
            consumer.AckPending.ToString(CultureInfo.InvariantCulture),
            consumer.Redelivered.ToString(CultureInfo.InvariantCulture)));
        table.WriteTo(shell);
    }
}
