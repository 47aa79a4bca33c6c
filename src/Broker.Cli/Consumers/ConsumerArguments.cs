using System.CommandLine;
using Broker.Cli.Streams;

namespace Broker.Cli.Consumers;

/// <summary>The arguments that name a consumer.</summary>
internal sealed class ConsumerArguments
{
    private readonly Argument<string> _stream = StreamArguments.Name("stream", "Name of the stream");
    private readonly Argument<string> _consumer = StreamArguments.Name("consumer", "Name of the consumer");

    public Command AddTo(Command command) => command.With(_stream, _consumer);

    public string Stream(ParseResult flags) => flags.GetRequiredValue(_stream);

    public string Consumer(ParseResult flags) => flags.GetRequiredValue(_consumer);
}
